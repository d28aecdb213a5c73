import { type Field, type Model, type Resource, type Site, sourcesOfField } from '@svc/domain/contract'
import { FieldPrivacy, type PrivacyDefinition } from '../definition.ts'
import { nearestTo } from './near.ts'

/** A field that holds something about a person. */
export interface PersonalField {
  readonly resource: Resource
  readonly field: Field
  readonly flags: FieldPrivacy
  /** Whether a person is found by its values. */
  readonly identifies: boolean
}

/** Types whose values can be compared as texts, by how they are stored. */
const COMPARABLE: ReadonlySet<string> = new Set(['text', 'uuid', 'integer'])

/** What a field says of itself under `privacy`; undefined where it says nothing. */
export function flagsOf({ definition }: Field): FieldPrivacy | undefined {
  const { privacy } = definition
  return privacy === undefined ? undefined : FieldPrivacy.safeParse(privacy).data
}

/** Every personal field of the domain; what makes no sense is reported. */
export function personalFields(written: PrivacyDefinition | undefined, site: Site): readonly PersonalField[] {
  const { classifications = {}, subjectIdentifier: { primary, alternates = [] } = {} } = written ?? {}
  const named = [...(primary === undefined ? [] : [primary]), ...alternates]
  const found: PersonalField[] = []
  for (const resource of site.model.resources.values())
    for (const field of resource.fields.values()) {
      const own = flagsOf(field)
      if (own !== undefined) checkClassification(own, { resource, field }, Object.keys(classifications), site)
      const flags = own !== undefined && isPersonal(own) ? own : inheritedBy(field, resource, own)
      if (flags === undefined) continue
      const identifies = flags.subjectIdentifier === true || named.includes(field.name)
      if (identifies) checkIdentifying({ resource, field }, site)
      found.push({ resource, field, flags, identifies })
    }
  if (primary !== undefined) checkNamed(primary, ['subjectIdentifier', 'primary'], found, site)
  for (const [at, name] of alternates.entries())
    checkNamed(name, ['subjectIdentifier', 'alternates', at], found, site)
  return found
}

/** A slug is what it is made from: it stays with its record where that changes. */
function inheritedBy(
  field: Field,
  resource: Resource,
  own: FieldPrivacy | undefined,
): FieldPrivacy | undefined {
  if (field.from === undefined) return undefined
  const flags = sourcesOfField(field, resource).flatMap((source) => flagsOf(source.field) ?? [])
  const found = flags.find(isPersonal)
  if (found === undefined) return undefined
  const { classification } = found
  return { ...own, pii: true, ...(classification !== undefined && { classification }) }
}

/** Whether flags say that a field holds something about a person. */
export const isPersonal = ({
  classification,
  pii,
  sensitive,
  phi,
  subjectIdentifier,
}: FieldPrivacy): boolean =>
  [pii, sensitive, phi, subjectIdentifier].includes(true) || classification !== undefined

type Place = Pick<PersonalField, 'resource' | 'field'>

function checkClassification(
  { classification }: FieldPrivacy,
  { resource, field }: Place,
  known: readonly string[],
  site: Site,
): void {
  if (classification === undefined || known.includes(classification)) return
  site.problem(
    ['classifications'],
    `there is no classification '${classification}', which '${resource.name}.${field.name}' has`,
    nearestTo(classification, known) ?? `Declare it: ${classification}: { description: … }`,
  )
}

function checkIdentifying({ resource, field }: Place, site: Site): void {
  const isStored = field.computed === undefined && field.column !== undefined
  if (isStored && COMPARABLE.has(field.compiled.type.column) && field.compiled.members === undefined) return
  site.problem(
    ['subjectIdentifier'],
    `'${resource.name}.${field.name}' (${field.compiled.type.name}) cannot tell whose a record is`,
    'Take a stored field of text, a uuid or a whole number',
  )
}

function checkNamed(
  name: string,
  path: readonly (string | number)[],
  found: readonly PersonalField[],
  site: Site,
): void {
  if (found.some(({ field }) => field.name === name)) return
  const isField = fieldNames(site.model).has(name)
  if (isField)
    return site.warning(
      path,
      `no field '${name}' is personal, so nobody is found by it`,
      'Give the field a classification, pii or subjectIdentifier',
    )
  const known = new Set(found.map(({ field }) => field.name))
  site.problem(path, `no resource has a field '${name}'`, nearestTo(name, known))
}

const fieldNames = ({ resources }: Model): ReadonlySet<string> =>
  new Set([...resources.values()].flatMap(({ fields }) => [...fields.keys()]))
