import type { Row, Value } from '@svc/store/contract'
import type { Firing } from '../firing/firing.ts'

/** A firing as the log keeps it. */
export function entryOf(firing: Firing): Row {
  const { id, rule, outcome, change } = firing
  const { kind, caller, key, at, transition, requestId } = change
  return {
    id,
    at,
    rule: rule.name,
    resource: rule.resource.name,
    recordId: isRefusedCreate(firing) || key === undefined ? null : String(key),
    action: rule.action,
    outcome,
    severity: rule.severity,
    regulation: rule.regulation,
    group: rule.group,
    op: kind === 'create' || kind === 'delete' ? kind : 'update',
    transition: transition?.name ?? null,
    actor: { id: caller.id, username: caller.username },
    requestId,
    said: saidBy(firing),
  }
}

/** There is no record of a create that was refused, be it by this rule or, where this one is undecided, by another. */
const isRefusedCreate = ({ change, isRefused }: Firing): boolean => isRefused && change.kind === 'create'

/** The entry in full, as the bus is told of it. */
export const wholeEntry = (firing: Firing): Row => {
  const { said: _, ...entry } = entryOf(firing)
  const { words, resource } = firing.rule
  return {
    ...entry,
    message: words.tell(firing.context, resource.localizer.locale()),
    messageData: words.data(firing.context),
  }
}

const saidBy = ({ rule, context }: Firing): Value => ({
  message: rule.words.tell(context, rule.resource.localizer.locale()),
  messageData: rule.words.data(context),
})
