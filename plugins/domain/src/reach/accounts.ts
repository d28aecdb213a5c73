import { ACCOUNTS } from '@svc/auth/contract'
import type { Neighbour, Neighbours, Reached } from '@svc/expression/contract'
import type { Column, Reader, Row, Value } from '@svc/store/contract'
import type { Reading } from './neighbours.ts'

const { table, id, username, email, roles } = ACCOUNTS

/**
 * Reads the accounts that records belong to. Everybody may know the names of others, as answers show them; addresses and
 * roles are for the author of a rule, the service, and whoever they belong to.
 */
export async function readUsers(
  records: readonly Row[],
  { relation: { near }, fields }: Reached,
  { reader, access, rights }: Reading,
): Promise<(record: Row) => Neighbours[string]> {
  const mayStart = (record: Row) => rights === 'author' || access.readableIn(record, near)
  const keys = [
    ...new Set(
      records
        .filter(mayStart)
        .map((record) => record[near] ?? null)
        .filter((key) => key !== null),
    ),
  ]
  if (keys.length === 0) return () => null
  const [names, holders] = [columnsOf(fields), fields.has('roles')]
  const rows = await reader.select({
    table,
    columns: names,
    where: { op: 'in', column: id, values: keys },
    order: [],
  })
  const held = holders ? await rolesOf(keys, reader) : new Map<Value, Value[]>()
  const isOwn = (key: Value) =>
    rights === 'author' || access.caller.kind === 'system' || key === access.caller.id
  const found = new Map(
    rows.map((row): [Value, Neighbour] => {
      const key = row[id.name] ?? null
      const own: Row = isOwn(key)
        ? { ...row, ...(holders && { roles: held.get(key) ?? [] }) }
        : { [id.name]: key, [username.name]: row[username.name] ?? null }
      return [key, { record: own, neighbours: {} }]
    }),
  )
  return (record) => (mayStart(record) ? (found.get(record[near] ?? null) ?? null) : null)
}

const columnsOf = (fields: ReadonlySet<string>): readonly Column[] => [
  id,
  ...[username, email].filter(({ name }) => fields.has(name)),
]

async function rolesOf(
  keys: readonly Exclude<Value, null>[],
  reader: Reader,
): Promise<ReadonlyMap<Value, Value[]>> {
  const held = new Map<Value, Value[]>()
  const rows = await reader.select({
    table: roles.table,
    columns: [roles.userId, roles.role],
    where: { op: 'in', column: roles.userId, values: keys },
    order: [{ column: roles.role, descending: false }],
  })
  for (const row of rows) {
    const key = row[roles.userId.name] ?? null
    held.set(key, [...(held.get(key) ?? []), row[roles.role.name] ?? null])
  }
  return held
}
