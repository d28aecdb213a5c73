import { csvText, type Data, type Field, type Resource } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { PersonalField } from '../compile/personal.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import type { SubjectRecords } from '../subjects/records.ts'
import type { Asked } from '../subjects/who.ts'
import type { Setting } from '../setting.ts'

/** What stands in place of what identifies somebody else. */
export const MASK = '***'

/** What a person may be shown of a field: everything but what is a secret. */
const isSecret = ({ compiled: { type } }: Field): boolean => !type.readable || type.name === 'token'

/** What of the records of a resource is shown to whoever asks. */
export interface Showing {
  readonly fields: readonly Field[]
  /** A value as it is shown: what identifies somebody else is masked. */
  value(field: Field, value: Value): Value
}
export type ShowingOf = (resource: Resource) => Showing

/** Says what is shown of each resource; `masked` hears of every value that is not. */
export function showingTo(
  { isOwn, subject, secret }: Asked,
  { call, data, setting }: { readonly call: Call; readonly data: Data; readonly setting: Setting },
  masked: (value: string) => void = () => undefined,
): ShowingOf {
  const known = new Map<Resource, Showing>()
  const showing = (resource: Resource): Showing => {
    const personal = new Map(setting.privacy.personalOf(resource).map((one) => [one.field, one]))
    const access = data.access(resource, call.caller)
    return {
      fields: [...resource.fields.values()].filter(
        (field) =>
          field.column !== undefined &&
          !isSecret(field) &&
          (!isOwn || personal.has(field) || field.primaryKey || access.readable(field.name)),
      ),
      value(field, value) {
        if (value === null || personal.get(field)?.identifies !== true) return value
        if (subject?.own.has(hashOf(canonical(field, value), secret)) === true) return value
        masked(String(value))
        return MASK
      },
    }
  }
  return (resource) => {
    const made = known.get(resource) ?? showing(resource)
    known.set(resource, made)
    return made
  }
}

/** The records of a person by the names of resources, as whoever asks may see them. */
export const shownRecords = (
  records: SubjectRecords,
  showingOf: ShowingOf,
): Readonly<Record<string, readonly Row[]>> =>
  Object.fromEntries(
    [...records].map(([resource, rows]) => {
      const { fields, value } = showingOf(resource)
      const shown = (row: Row): Row =>
        Object.fromEntries(fields.map((field) => [field.name, value(field, row[field.name] ?? null)]))
      return [resource.name, [...rows.values()].map(shown)]
    }),
  )

const HEADER = ['resource', 'recordId', 'field', 'label', 'classification', 'value']

/** The same as CSV, a line for each field of each record. */
export function csvOf(
  records: Readonly<Record<string, readonly Row[]>>,
  { privacy: { model, personal } }: Setting,
  localize: (field: Field) => string,
): string {
  const lines = Object.entries(records).flatMap(([name, rows]) => {
    const resource = model.resources.get(name)
    return resource === undefined ? [] : rows.flatMap((row) => linesOf(row, resource, personal, localize))
  })
  return csvText([HEADER, ...lines])
}

const linesOf = (
  row: Row,
  resource: Resource,
  personal: readonly PersonalField[],
  localize: (field: Field) => string,
): readonly (readonly Value[])[] =>
  Object.entries(row).flatMap(([name, value]) => {
    const field = resource.fields.get(name)
    if (field === undefined) return []
    const classification = personal.find((one) => one.field === field)?.flags.classification ?? ''
    return [
      [
        resource.name,
        String(row[resource.key.name] ?? ''),
        name,
        localize(field),
        classification,
        value ?? null,
      ],
    ]
  })
