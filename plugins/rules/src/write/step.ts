import { announce } from '@svc/automation/contract'
import {
  afterRollback,
  type BlockStep,
  type Change,
  messageFacts,
  type Model,
  type Writes,
} from '@svc/domain/contract'
import type { Table } from '@svc/store/contract'
import { ruleErrors } from '../errors.ts'
import { contextOf, askRules } from './ask.ts'
import type { Concerned } from './concerned.ts'
import type { Firing } from '../firing/firing.ts'
import { firingsOf } from '../firing/firings.ts'
import { entryOf, recordIdOf, wholeEntry } from '../log/entry.ts'

/** Where firings are entered. */
export interface Log {
  readonly model: Model
  readonly table: Table
}

/** Asks the rules that a write concerns: the first that rejects ends it, the others leave their traces with it. */
export const rulesStep =
  (concerned: Concerned, log: Log): BlockStep =>
  async (change, writes) => {
    const findings = await askRules(concerned.of(change), change, writes)
    const speaking = [...findings.undecided, ...findings.fired]
    if (speaking.length === 0) return
    const expressions = speaking.flatMap(({ notification }) => notification?.expressions ?? [])
    // A condition decides; what it sets off is told by itself.
    const context = await contextOf(change, expressions, writes, ['automate'])
    const firings = await firingsOf(findings, change, context, writes)
    const rejected = firings.find(({ outcome }) => outcome === 'rejected')
    if (rejected !== undefined)
      throw afterRollback(violation(rejected), async (later) => {
        await leave(firings, log, later)
        later.afterCommit(() => tell(firings))
      })
    for (const firing of firings) if (firing.outcome === 'warned') warn(firing)
    await leave(firings, log, writes)
    change.afterCommit.push(() => tell(firings))
  }

function violation(firing: Firing) {
  const { name: rule, regulation, severity, group } = firing.rule
  const { resource, acceptLanguage } = firing.change
  return ruleErrors.RULE_VIOLATION({
    message: firing.told.text,
    data: { rule, regulation, severity, group, messageData: firing.told.values },
    ...messageFacts(resource.localizer, acceptLanguage),
  })
}

function warn(firing: Firing): void {
  const { name: rule, regulation, severity } = firing.rule
  firing.change.warn({ rule, message: firing.told.text, regulation, severity })
}

/** What is written of firings: their entries, the timeline, and what they notify of. */
async function leave(firings: readonly Firing[], log: Log, writes: Writes): Promise<void> {
  const { table, model } = log
  await writes.insertRows({ table, rows: firings.map((firing) => entryOf(firing, model)) })
  for (const firing of firings) {
    if (firing.outcome === 'undecided') continue
    await narrate(firing, writes)
    await raise(firing, writes)
  }
}

async function narrate({ rule, change, facts }: Firing, writes: Writes): Promise<void> {
  const { name, timeline, severity, kept } = rule
  const said = { label: kept.message, values: kept.messageData, facts, expressions: rule.words.expressions }
  await timeline?.tell(writes, change, { event: `rule.${name}`, severity, ...said })
}

async function raise(firing: Firing, writes: Writes): Promise<void> {
  const { id, rule, context } = firing
  const { name, notification, resource } = rule
  const source = { kind: 'rule', name, step: null, id }
  await notification?.raise(writes, { source, resource, recordId: recordIdOf(firing), context })
}

/** Tells the bus of what has fired. */
function tell(firings: readonly Firing[]): void {
  for (const firing of firings) if (firing.outcome !== 'undecided') announceFiring(firing)
}

function announceFiring(firing: Firing): void {
  const { domain, resource, at, runtime }: Change = firing.change
  const name = `${resource.actionPrefix}rule.${firing.rule.name}`.slice(`svc.${domain}.`.length)
  announce(runtime.bus, { domain, name, at, entry: wholeEntry(firing) })
}
