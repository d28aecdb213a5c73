import type { Expression, Reach } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import type { Facts } from './facts.ts'

const Values = z.record(z.string(), z.json())

const KeptFacts = z.object({
  record: Values.nullable(),
  previous: Values.nullable(),
  user: z
    .object({
      kind: z.enum(['anonymous', 'system', 'user']),
      id: z.string().nullable(),
      username: z.string().nullable(),
      email: z.string().nullable(),
      roles: z.array(z.string()),
    })
    .nullable(),
  op: z.string().nullable(),
  variables: Values,
  now: z.number(),
})

/**
 * Facts as a table keeps them, as JSON: of the records what these expressions are worked out from, and by whose rights
 * that is judged. What readers are told of them later is told by what they may read then.
 */
export function keepFacts(facts: Facts, expressions: readonly Expression[]): Value {
  const { resource, record, previous, user, op, variables = {}, now } = facts
  const names = resource ? namesRead(expressions, resource) : new Set<string>()
  const part = (row: Row | null | undefined) =>
    row ? Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name))) : null
  return {
    record: part(record),
    previous: part(previous),
    user: user
      ? { kind: user.kind, id: user.id, username: user.username, email: user.email, roles: [...user.roles] }
      : null,
    op: op ?? null,
    variables,
    now: now(),
  }
}

/** The facts that a table has kept; `resource` is that of the record. */
export function openFacts(kept: unknown, resource: Resource | undefined): Facts {
  const { user, op, now, ...rest } = KeptFacts.parse(kept)
  return {
    ...rest,
    resource,
    user: user ? { ...user, claims: {} } : undefined,
    op: op ?? undefined,
    now: () => now,
  }
}

/** Names of the fields that expressions are worked out from, formulas followed to what these read. */
function namesRead(expressions: readonly Expression[], resource: Resource): ReadonlySet<string> {
  const names = new Set<string>([
    resource.key.name,
    ...(resource.ownerField ? [resource.ownerField.name] : []),
  ])
  const near = (reach: Reach) => {
    for (const { relation } of reach.values()) names.add(relation.near)
  }
  const read = (name: string) => {
    if (names.has(name)) return
    names.add(name)
    const formula: Field['computed'] = resource.fields.get(name)?.computed
    if (formula) readBy(formula.expression)
  }
  const readBy = ({ fields, reach, previousReach }: Expression) => {
    for (const name of fields) read(name)
    near(reach)
    near(previousReach)
  }
  for (const expression of expressions) readBy(expression)
  return names
}
