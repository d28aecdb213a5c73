import { announce } from '@svc/automation/contract'
import { afterRollback, type BlockStep, type Change, messageFacts, type Writes } from '@svc/domain/contract'
import type { Table } from '@svc/store/contract'
import { ruleErrors } from '../errors.ts'
import { contextOf, askRules } from './ask.ts'
import type { Concerned } from './concerned.ts'
import { type Firing, firingsOf } from '../firing/firing.ts'
import { entryOf, wholeEntry } from '../log/entry.ts'
import { dataFor, messageFor } from '../firing/telling.ts'

/** Asks the rules that a write concerns: the first that rejects ends it, the others leave their traces with it. */
export const rulesStep =
  (concerned: Concerned, log: Table): BlockStep =>
  async (change, writes) => {
    const findings = await askRules(concerned.of(change), change, writes)
    const speaking = [...findings.undecided, ...findings.fired]
    if (speaking.length === 0) return
    const expressions = speaking.flatMap(({ words, notification }) => [
      ...words.expressions,
      ...(notification?.expressions ?? []),
    ])
    const firings = firingsOf(findings, change, await contextOf(change, expressions, writes))
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
    message: messageFor(firing),
    data: { rule, regulation, severity, group, messageData: dataFor(firing) },
    ...messageFacts(resource.localizer, acceptLanguage),
  })
}

function warn(firing: Firing): void {
  const { name: rule, regulation, severity } = firing.rule
  firing.change.warn({ rule, message: messageFor(firing), regulation, severity })
}

/** What is written of firings: their entries, the timeline, and what they notify of. */
async function leave(firings: readonly Firing[], log: Table, writes: Writes): Promise<void> {
  await writes.insertRows({ table: log, rows: firings.map(entryOf) })
  for (const firing of firings) {
    if (firing.outcome === 'undecided') continue
    await narrate(firing, writes)
    await raise(firing, writes)
  }
}

async function narrate({ rule, change, context }: Firing, writes: Writes): Promise<void> {
  const { name, timeline, severity, words } = rule
  const { label, values, sources } = words.narrated(context)
  await timeline?.add(writes, change, { event: `rule.${name}`, label, severity, values, sources })
}

async function raise({ id, rule, change, context, isRefused }: Firing, writes: Writes): Promise<void> {
  const { name, notification, resource } = rule
  const isThere = !(isRefused && change.kind === 'create')
  await notification?.raise(writes, {
    source: { kind: 'rule', name, step: null, id },
    resource,
    recordId: isThere ? (change.key ?? null) : null,
    context,
  })
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
