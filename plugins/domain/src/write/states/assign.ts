import type { Value } from '@svc/store/contract'
import type { Assigned, Assignments } from '../../model/assignment.ts'
import type { Change } from '../change.ts'
import { momentOf } from '../defaults.ts'

type Assignee = Pick<Change, 'values' | 'resource' | 'at' | 'caller'>

/** Gives a change the values that a transition or an operation sets; they win over what the client sent. */
export function assign(change: Assignee, assignments: Assignments): void {
  for (const [name, assigned] of assignments) change.values[name] = valueOf(assigned, name, change)
}

function valueOf(assigned: Assigned, name: string, { resource, at, caller }: Assignee): Value {
  if (assigned.of === 'value') return assigned.value
  if (assigned.of === 'now') return momentOf(resource.fields.get(name)!, at)
  const facts = {
    id: caller.id,
    username: caller.username,
    email: caller.email,
    role: caller.roles[0] ?? null,
    roles: [...caller.roles],
  }
  return facts[assigned.fact]
}
