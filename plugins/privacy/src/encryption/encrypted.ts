import {
  type Changed,
  type CompiledType,
  type FieldDefinition,
  type FieldPlace,
  FieldTypeError,
} from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import { fieldCodec } from './codec.ts'
import type { Rings } from './ring.ts'

/** What an attribute `privacy` says as far as this is concerned. */
interface Flags {
  readonly classification?: string | undefined
  readonly pii?: boolean | undefined
  readonly sensitive?: boolean | undefined
  readonly phi?: boolean | undefined
  readonly subjectIdentifier?: boolean | undefined
}

/** Types whose values others look for, or whose columns are no columns of values. */
const NEVER = new Set(['autoincrement', 'password', 'media', 'geometry', 'slug'])

/** The name of the derivation by which equal values are found. */
const BLIND = 'blind'

/** The type with its values encrypted at rest. Throws FieldTypeError where they cannot be. */
export function encrypted(
  type: CompiledType,
  flags: Flags,
  definition: FieldDefinition,
  place: FieldPlace | undefined,
  rings: Rings,
): Changed {
  if (place === undefined) throw refusal('a value inside of another is not encrypted by itself')
  if (NEVER.has(type.type.name)) throw refusal(`a field of type ${type.type.name} is not encrypted`)
  if (definition.primaryKey) throw refusal('a key is not encrypted')
  const { encryption, subjectIdentifier } = privacyOf(place)
  if (encryption === undefined)
    throw new FieldTypeError(
      'encrypted',
      "the domain has no 'privacy.encryption', which says with what keys",
      "Write 'privacy: { encryption: { keyVariable: SVC_ENCRYPTION_KEY } }' under 'domain'",
    )
  const domain = place.domain.name.toLowerCase()
  const codec = fieldCodec(domain, place.resource, place.field, rings)
  const { derived: _, indexes: __, filters: ___, ...rest } = type
  if (type.type.column === 'json' || !isFound(flags, definition, place, subjectIdentifier))
    return { ...rest, codec }
  const hash = rings.hashing(domain, `${place.resource}.${place.field}`)
  const index = definition.unique !== true && !hasIndex(place)
  const derive = (value: Exclude<Value, null>) => hash(JSON.stringify(value))
  return { ...rest, codec, derived: { [BLIND]: { column: 'text', index, derive } }, equality: BLIND }
}

const refusal = (message: string): FieldTypeError =>
  new FieldTypeError('encrypted', message, "Leave 'encrypted' out here")

interface PrivacyKey {
  readonly encryption?: unknown
  readonly subjectIdentifier?:
    | { readonly primary?: string; readonly alternates?: readonly string[] }
    | undefined
}

const privacyOf = ({ domain }: FieldPlace): PrivacyKey =>
  (domain as { readonly privacy?: PrivacyKey }).privacy ?? {}

/** Whether equal values are looked for: the field is unique, tells who a person is, or has an index of its own. */
function isFound(
  flags: Flags,
  { unique = false }: FieldDefinition,
  place: FieldPlace,
  { primary, alternates = [] }: NonNullable<PrivacyKey['subjectIdentifier']> = {},
): boolean {
  if (unique || flags.subjectIdentifier === true) return true
  if (isPersonal(flags) && [primary, ...alternates].includes(place.field)) return true
  return hasIndex(place)
}

function hasIndex({ domain, resource, field }: FieldPlace): boolean {
  const { indexes = [] } = domain.resources[resource] ?? {}
  return indexes.some(({ fields }) => fields.length === 1 && fields[0] === field)
}

const isPersonal = ({ classification, pii, sensitive, phi }: Flags): boolean =>
  classification !== undefined || [pii, sensitive, phi].includes(true)
