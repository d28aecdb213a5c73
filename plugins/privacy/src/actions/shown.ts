import { csvText, type Data, type Field, type Resource } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { PersonalField } from '../compile/personal.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import type { SubjectRecords } from '../subjects/records.ts'
import type { Asked } from '../subjects/who.ts'
import type { Setting } from '../setting.ts'

const MASK = '***'

/** What a person may be shown of a field: everything but what is a secret. */
const isSecret = ({ compiled: { type } }: Field): boolean => !type.readable || type.name === 'token'

/** The records of a person by the names of resources, as whoever asks may see them. */
export function shownRecords(
  records: SubjectRecords,
  asked: Asked,
  { call, data, setting }: { readonly call: Call; readonly data: Data; readonly setting: Setting },
): Readonly<Record<string, readonly Row[]>> {
  const shown = [...records].map(([resource, rows]) => {
    const personal = new Map(setting.privacy.personalOf(resource).map((one) => [one.field.name, one]))
    const access = data.access(resource, call.caller)
    const fields = [...resource.fields.values()].filter(
      (field) =>
        field.column !== undefined &&
        !isSecret(field) &&
        (!asked.isOwn || personal.has(field.name) || field.primaryKey || access.readable(field.name)),
    )
    return [
      resource.name,
      [...rows.values()].map((row) => shownRecord(row, fields, personal, asked)),
    ] as const
  })
  return Object.fromEntries(shown)
}

function shownRecord(
  row: Row,
  fields: readonly Field[],
  personal: ReadonlyMap<string, PersonalField>,
  { subject, secret }: Asked,
): Row {
  return Object.fromEntries(
    fields.map((field): readonly [string, Value] => {
      const value = row[field.name] ?? null
      const isOfOther =
        value !== null &&
        personal.get(field.name)?.identifies === true &&
        subject?.own.has(hashOf(canonical(field, value), secret)) !== true
      return [field.name, isOfOther ? MASK : value]
    }),
  )
}

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
