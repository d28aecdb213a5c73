import { codecOf, type Facts, keepFacts, type Model } from '@svc/domain/contract'
import { type Row, sealValue, type Value } from '@svc/store/contract'
import type { Firing } from '../firing/firing.ts'

/** A firing as the log keeps it. */
export const entryOf = (firing: Firing, model: Model): Row => ({
  ...bareEntry(firing),
  said: sealValue({ codec: codecOf(model) }, saidBy(firing)),
})

/** The entry in full, as the bus is told of it. */
export const wholeEntry = (firing: Firing): Row => ({
  ...bareEntry(firing),
  message: firing.whole.text,
  messageData: firing.whole.values,
})

function bareEntry(firing: Firing): Row {
  const { id, rule, outcome, change } = firing
  const { kind, caller, at, transition, requestId } = change
  return {
    id,
    at,
    rule: rule.name,
    resource: rule.resource.name,
    recordId: recordIdOf(firing),
    action: rule.action,
    outcome,
    severity: rule.severity,
    regulation: rule.regulation,
    group: rule.group,
    op: kind === 'create' || kind === 'delete' ? kind : 'update',
    transition: transition?.name ?? null,
    actor: { id: caller.id, username: caller.username },
    requestId,
  }
}

/** The key of the record; null of a create that was refused, be it by this rule or by another. */
export function recordIdOf({ change, isRefused }: Pick<Firing, 'change' | 'isRefused'>): string | null {
  const { kind, key } = change
  return (isRefused && kind === 'create') || key === undefined ? null : String(key)
}

/** The words as they are written, and the facts that they are filled from: each reader is told what that one may read. */
function saidBy({ rule, facts }: { readonly rule: Firing['rule']; readonly facts: Facts }): Value {
  const { message, messageData } = rule.kept
  return { message, messageData, facts: keepFacts(facts, rule.words.expressions) }
}
