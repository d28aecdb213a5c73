import type { Data, Resource } from '@svc/domain/contract'
import { type Caller, errors } from '@svc/kernel'
import type { Condition, Row, Value } from '@svc/store/contract'
import type { Template } from './compile/template.ts'
import { isPermitted, leaveOf } from './permission.ts'
import type { GeneratedDocument } from './table.ts'

/** What documents are made of, as far as it says who sees them. */
export type Viewed = Pick<Template, 'name' | 'view'>
/** All of a domain, by templateName. */
export type Templates = ReadonlyMap<string, Viewed>

/** What is asked of a record on the way to its documents. */
type Reading = 'get' | 'list'

/** Whether a caller sees the documents of templates that are gone. */
export const isAdmin = ({ kind, roles }: Caller): boolean => kind === 'system' || roles.includes('admin')

/** Whether a caller may look at documents of a template at all: those of one that is gone are for admins alone. */
export const mayViewSome = (template: Viewed | undefined, caller: Caller): boolean =>
  template === undefined ? isAdmin(caller) : leaveOf(template.view, caller) !== 'no'

/** Whether a caller may look at a document. */
export async function mayView(
  document: GeneratedDocument,
  caller: Caller,
  templates: Templates,
  data: Data,
  now: () => number,
): Promise<boolean> {
  return (await viewable([document], caller, 'get', templates, data, now)).length === 1
}

/** Lets a caller look at a document, or throws UNAUTHORIZED or FORBIDDEN. */
export async function assertView(...[document, caller, ...more]: Parameters<typeof mayView>): Promise<void> {
  if (await mayView(document, caller, ...more)) return
  throw caller.kind === 'anonymous'
    ? errors.UNAUTHORIZED()
    : errors.FORBIDDEN({ message: 'You may not view this document' })
}

/** So many records are looked at at once. */
const PORTION = 500

/** Those of documents that a caller may look at, in their order. */
export async function viewable(
  all: readonly GeneratedDocument[],
  caller: Caller,
  reading: Reading,
  templates: Templates,
  data: Data,
  now: () => number,
): Promise<readonly GeneratedDocument[]> {
  const seen: GeneratedDocument[] = []
  for (let at = 0; at < all.length; at += PORTION) {
    const portion = all
      .slice(at, at + PORTION)
      .filter(({ templateName }) => mayViewSome(templates.get(templateName), caller))
    const records = await recordsOf(portion, caller, reading, data)
    for (const document of portion) {
      const found = records.get(placeOf(document))
      if (found !== undefined && !found.isOpen) continue
      const template = templates.get(document.templateName)
      const resource = document.resource === null ? undefined : data.model.resources.get(document.resource)
      const about = { resource, record: found?.record, owner: document.generatedBy }
      // Once its record is gone, roles alone pass.
      const isGone = document.resource !== null && found === undefined
      const passes =
        template === undefined ||
        (isGone
          ? leaveOf(template.view, caller) === 'yes'
          : await isPermitted(template.view, caller, about, data, now))
      if (passes) seen.push(document)
    }
  }
  return seen
}

/** A record that is there, and whether the caller may get or list it. */
interface Found {
  readonly record: Row
  readonly isOpen: boolean
}

const placeOf = ({ resource, recordId }: GeneratedDocument): string => `${resource ?? ''}/${recordId ?? ''}`

/** The records that documents are about, as far as they are there. */
async function recordsOf(
  all: readonly GeneratedDocument[],
  caller: Caller,
  reading: Reading,
  data: Data,
): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>()
  for (const name of new Set(all.map(({ resource }) => resource))) {
    const resource = name === null ? undefined : data.model.resources.get(name)
    if (resource?.key.column === undefined) continue
    const keys = new Set(all.flatMap((one) => (one.resource === name ? (one.recordId ?? []) : [])))
    const values = [...keys].flatMap((key) => resource.key.compiled.parseText(key) ?? []) as Exclude<
      Value,
      null
    >[]
    for (const { record, isOpen } of await liveRecords(resource, values, caller, reading, data))
      found.set(`${resource.name}/${String(record[resource.key.name])}`, { record, isOpen })
  }
  return found
}

async function liveRecords(
  resource: Resource,
  keys: readonly Exclude<Value, null>[],
  caller: Caller,
  reading: Reading,
  data: Data,
): Promise<readonly Found[]> {
  const { key, fields, features, table } = resource
  if (keys.length === 0 || key.column === undefined) return []
  const deletedAt = features.softDelete ? fields.get('deletedAt')?.column : undefined
  const live: readonly Condition[] = [
    { op: 'in', column: key.column, values: keys },
    ...(deletedAt ? [{ op: 'null', column: deletedAt } as const] : []),
  ]
  const columns = [...fields.values()].flatMap(({ column }) => column ?? [])
  const rows = await data.reader.select({ table, columns, where: { op: 'and', of: live }, order: [] })
  const open = await openKeys(resource, live, caller, reading, data)
  return rows.map((record) => ({ record, isOpen: open(String(record[key.name])) }))
}

/** Which of these records a caller may get, or list. */
async function openKeys(
  resource: Resource,
  live: readonly Condition[],
  caller: Caller,
  reading: Reading,
  data: Data,
): Promise<(key: string) => boolean> {
  const { key, table } = resource
  const rows = data.access(resource, caller).rowsIfAny(reading)
  if (rows === undefined || key.column === undefined) return () => false
  if (rows.op === 'always') return () => true
  const where: Condition = { op: 'and', of: [...live, rows] }
  const found = await data.reader.select({ table, columns: [key.column], where, order: [] })
  const open = new Set(found.map((row) => String(row[key.name])))
  return (one) => open.has(one)
}
