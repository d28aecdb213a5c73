import type { LedgerReader } from '@svc/automation/contract'
import { type Accounts, callerOf } from '@svc/auth/contract'
import { ANYBODY, type Audience, type Data, type Site } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import { findRaised } from '../outbox/entries.ts'
import { amongRecords } from '../outbox/kept-facts.ts'
import { saidIn, textIn } from '../outbox/present.ts'
import { openTold } from '../outbox/told.ts'
import type { Said } from '../texts/words.ts'

export interface ShownParts {
  readonly site: Site
  readonly accounts: Accounts | undefined
}

/**
 * The words of a message for one who looks at the ledger: as they were sent for who may be told all that they were made of,
 * and else worked out anew, of what both this reader and the recipient may read.
 */
export async function shownTo(row: Row, { data, call }: LedgerReader, parts: ShownParts): Promise<Said> {
  const sent = saidIn(row, data.model)
  if (readsEverything(data, call)) return sent
  const kept = await findRaised(row, data)
  const told = kept && openTold(kept, parts.site, data.reader)
  if (told === undefined) return { subject: sent.subject === null ? null : '', body: '' }
  if (told.words.expressions.length === 0) return sent
  const facts = amongRecords(told.facts, placesIn(row))
  const { context, shows } = await told.showingTo(call.caller, facts)
  const recipient = await told.showingTo(await audienceOf(row, parts), facts)
  return told.words.fill({ context, shows: (one) => shows(one) && recipient.shows(one) })
}

/** Whether nothing in the whole domain is kept from a reader: then nobody has to look what a text was made of. */
function readsEverything({ model, access }: Data, { caller }: LedgerReader['call']): boolean {
  return [...model.resources.values()].every((resource) => {
    const rights = access(resource, caller)
    if (rights.rowsIfAny('get')?.op !== 'always') return false
    return [...resource.fields.values()].every(
      ({ name, compiled }) => !compiled.type.readable || rights.readable(name) !== undefined,
    )
  })
}

async function audienceOf(row: Row, { accounts }: ShownParts): Promise<Audience> {
  const id = textIn(row, 'account')
  const [account] = id === null ? [] : ((await accounts?.active({ ids: [id] }, 1)) ?? [])
  return account ? callerOf(account) : ANYBODY
}

const placesIn = (row: Row): readonly number[] | null => {
  const places = row['records']
  return Array.isArray(places) ? places.map(Number) : null
}
