import { createHash } from 'node:crypto'
import type { Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { asksForMore } from '../access/sharing.ts'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { VERSION } from '../model/table.ts'

/** How often a record was written, in the count that its table keeps. */
export const versionOf = (record: Row): number => record[VERSION.name] as number

/**
 * The strong entity tag of a record as a caller sees it (RFC 9110, section 8.8.3): it changes with every write,
 * and differs where other fields are shown. `shown` is the record in its answer: without it, what is worked out
 * from more than the record is no part of the tag.
 */
export const etag = (record: Row, fields: readonly Field[], access: Access, shown?: Row): string =>
  `"${versionOf(record).toString(36)}-${viewOf(fields, access)}${access.showsOwnerMore(record) ? '+' : ''}${workedIn(fields, access, shown)}"`

/** What was worked out from more than the record changes without a write of it. */
function workedIn(fields: readonly Field[], access: Access, shown: Row | undefined): string {
  if (shown === undefined) return ''
  const worked = unsteadyOf(fields, access)
  return worked.length === 0
    ? ''
    : `-${digest(JSON.stringify(worked.map(({ name }) => shown[name] ?? null)), 8)}`
}

const unsteady = new WeakMap<readonly Field[], readonly Field[]>()

function unsteadyOf(fields: readonly Field[], { resource }: Access): readonly Field[] {
  const known = unsteady.get(fields)
  if (known !== undefined) return known
  const judged = new Map<Field, boolean>()
  const found = fields.filter((field) => isUnsteady(field, resource, judged))
  unsteady.set(fields, found)
  return found
}

/**
 * Whether a value is worked out from other records, the time or the caller, if only by way of another field. Each of these is `judged` once,
 * however many formulas read it.
 */
function isUnsteady(field: Field, resource: Resource, judged: Map<Field, boolean>): boolean {
  const { computed } = field
  if (computed === undefined) return false
  const known = judged.get(field)
  if (known !== undefined) return known
  const { source, fields } = computed.expression
  const found =
    computed.reach.size > 0 ||
    asksForMore(source) ||
    [...fields].some((name) => {
      const inner = resource.fields.get(name)
      return inner !== undefined && isUnsteady(inner, resource, judged)
    })
  judged.set(field, found)
  return found
}

/** The tag of a record with others embedded: it changes with all that its text shows. */
export const contentTag = (text: string): string => `"${digest(text, 16)}"`

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length)

/** The version that a tag stands for, in the form that a record keeps it. */
const versionIn = (tag: string): number => Number.parseInt(tag.slice(1, tag.indexOf('-')), 36)

/**
 * Whether a list of tags, as `If-Match` or `If-None-Match` carries it, names `tag`. A precondition is about the
 * record, so a tag of another view of the same version matches too where `anyView` says so.
 */
export function names(list: string, tag: string, anyView = false): boolean {
  const tags = list.split(',').map((one) => one.trim())
  if (tags.includes('*') || tags.includes(tag)) return true
  if (anyView) return tags.some((one) => one.startsWith('"') && versionIn(one) === versionIn(tag))
  return tags.some((one) => one === `W/${tag}`)
}

const remembered = new WeakMap<readonly Field[], string>()

function viewOf(fields: readonly Field[], { masked, resource }: Access): string {
  const known = remembered.get(fields)
  if (known !== undefined) return known
  const text = fields.map(({ name }) => (masked.has(name) ? `${name}*` : name)).join(',')
  const formulas = formulasOf(fields, resource)
  const view = digest([text, ...formulas].join('\n'), 8)
  remembered.set(fields, view)
  return view
}

/** What values that no column holds are worked out by: another definition changes them without a write. */
function formulasOf(fields: readonly Field[], resource: Resource): readonly string[] {
  const found = new Map<Field, string>()
  const visit = (field: Field | undefined): void => {
    if (field?.computed === undefined || field.column !== undefined || found.has(field)) return
    const { expression } = field.computed
    found.set(field, `${field.name}=${expression.source}`)
    for (const name of expression.fields) visit(resource.fields.get(name))
  }
  fields.forEach(visit)
  return [...found.values()]
}
