import { parseExpression, ExpressionError, type Node, print, rewritten } from '@svc/expression/contract'
import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import { batches, keyOf } from '../migrate/batches.ts'
import type { Resource } from '../model/resource.ts'
import { compiledOverride } from '../present/overrides.ts'

/** Throws REFERENCED where formulas of records read a column that is about to go. */
export async function assertUnread(resource: Resource, name: string, reader: Reader): Promise<void> {
  const found = new Set<string>()
  let records = 0
  for await (const rows of overridden(resource, reader))
    for (const row of rows) {
      const reading = resource.overrides.filter((field) => reads(row[field.name] ?? null, name, resource))
      if (reading.length > 0) records += 1
      for (const field of reading) found.add(field.name)
    }
  if (records === 0) return
  const names = [...found].map((one) => `'${one}'`).join(', ')
  throw domainErrors.REFERENCED({
    message: `'${name}' is read by ${names} of ${records} ${records === 1 ? 'record' : 'records'}: change these formulas first`,
  })
}

/** Carries a new name of a column into the formulas of records; `resource` is the one that knows it. */
export async function carryName(
  resource: Resource,
  from: string,
  to: string,
  transaction: Transaction,
): Promise<void> {
  const { table, overrides } = resource
  const key = keyOf(table)
  for await (const rows of overridden(resource, transaction))
    for (const row of rows) {
      const set = Object.fromEntries(
        overrides.flatMap(({ name }): readonly (readonly [string, string])[] => {
          const source = row[name] ?? null
          const now = source === null ? source : withName(String(source), from, to)
          return now === source || now === null ? [] : [[name, now]]
        }),
      )
      if (Object.keys(set).length === 0) continue
      await transaction.update({ table, set, where: { op: 'eq', column: key, value: row[key.name]! } })
    }
}

async function* overridden({ table, overrides }: Resource, reader: Reader): AsyncIterable<readonly Row[]> {
  if (overrides.length === 0) return
  const of: readonly Condition[] = overrides.map(({ column }) => ({
    op: 'not',
    of: { op: 'null', column: column! },
  }))
  const columns = overrides.flatMap(({ column }) => column ?? [])
  yield* batches(table, columns, { op: 'or', of }, reader)
}

const reads = (source: Row[string], name: string, resource: Resource): boolean =>
  source !== null && compiledOverride(String(source), resource)?.fields.has(name) === true

/** A formula with another name of a field; as it is where it does not name it, or cannot be read. */
export function withName(source: string, from: string, to: string): string {
  const ast = parsed(source)
  if (ast === undefined) return source
  const other = rewritten(ast, (node) => renamed(node, from, to))
  const text = print(other)
  return text === print(ast) ? source : text
}

function renamed(node: Node, from: string, to: string): Node | undefined {
  if (node.kind === 'name' && node.name === from) return { ...node, name: to }
  const isOfRecord =
    node.kind === 'member' && node.of.kind === 'name' && node.of.name.toLowerCase() === 'record'
  return isOfRecord && node.name === from ? { ...node, name: to } : undefined
}

function parsed(source: string): Node | undefined {
  try {
    return parseExpression(source)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return undefined
  }
}
