import { errors } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import type { Parent } from '../write/change.ts'
import type { Resource } from '../model/resource.ts'
import type { RecordInput } from './operation.ts'

/** The parent that a nested path names: every record of the request belongs to it. Undefined on a direct path. */
export function parentOf({ api, fields }: Resource, { path }: RecordInput): Parent | undefined {
  const text = api.under && path?.[api.under.parameter]
  if (text === undefined) return undefined
  const field = fields.get(api.under!.foreignKey)!
  const value = field.compiled.parseText(text)
  const checked = value === undefined ? undefined : field.compiled.check(value)
  if (checked && 'value' in checked && checked.value !== null) return { field, value: checked.value }
  throw errors.NOT_FOUND({ message: `There is no ${api.under!.parent} '${text.slice(0, 100)}'` })
}

/** The rows that belong to `parent`; all of them where there is none. */
export const belongsTo = (parent: Parent | undefined): readonly Condition[] =>
  parent === undefined ? [] : [{ op: 'eq', column: parent.field.column!, value: parent.value }]
