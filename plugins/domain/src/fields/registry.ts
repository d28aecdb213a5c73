import { StartupError } from '@svc/kernel'
import { z } from 'zod'
import { didYouMean } from '../definition/names.ts'
import { commonFieldAttributes, type FieldDefinition, fieldSchema } from '../definition/schema/field.ts'
import { type Aspect, aspectsByName, withAspects } from './aspect.ts'
import { FieldTypeError } from './field-type-error.ts'
import {
  type AttributeSchema,
  BOUNDS,
  type CompiledType,
  type FieldContext,
  type FieldPlace,
  type FieldSchema,
  type FieldType,
} from './field-type.ts'
import { adviceFor } from './foreign-types.ts'

/** What surrounds a field in its definition. */
export interface FieldScope extends Pick<FieldContext, 'allowed' | 'blocks'> {
  /** Where the field stands; undefined inside of others. */
  readonly place?: FieldPlace | undefined
  /** The declared enumerations, for fields inside the field. */
  readonly enums: ReadonlyMap<string, { readonly values: ReadonlyMap<string, unknown> }>
}

/** The known field types. */
export interface FieldTypes {
  readonly all: readonly FieldType[]
  /** The names and aliases of all types. */
  readonly names: readonly string[]
  /** Finds a type by its name or by an alias. */
  find(name: string): FieldType | undefined
  /** What to do about a name that no type has, as a sentence; undefined where nothing is near. */
  advice(name: string): string | undefined
  /** Keys below `domain` that say something of how fields are stored. */
  readonly reads: readonly string[]
  /** The schemas of all attributes that types add to the language. */
  readonly attributes: Readonly<Record<string, z.ZodType>>
  /** Binds a type to a field. Throws FieldTypeError with everything that makes no sense. */
  compile(type: FieldType, definition: FieldDefinition, scope: FieldScope): CompiledType
  /** Attributes of a field that mean something for other types, and nothing for this one. */
  unused(type: FieldType, definition: FieldDefinition): readonly string[]
}

/** Gathers field types. A name or an attribute that is taken already ends the start. */
export function createRegistry(types: readonly FieldType[], added: readonly Aspect[] = []): FieldTypes {
  const byName = namesOf(types)
  const aspects = aspectsByName(
    added,
    Object.fromEntries(types.flatMap((type) => Object.entries(type.attributes))),
  )
  const attributes = attributesOf(types, aspects)
  const find = (name: string) => byName.get(name)
  const registry: FieldTypes = {
    all: types,
    names: [...byName.keys()],
    find,
    advice: (name) => adviceFor(name, byName) ?? didYouMean(name, byName.keys()),
    reads: [...new Set(added.flatMap(({ reads = [] }) => reads))],
    attributes,
    compile(type, definition, scope) {
      const { allowed, blocks, place } = scope
      refuseEnum(type, definition)
      const compile: FieldContext['compile'] = (written, around = {}) =>
        compileInner(registry, handedDown(registry, type, around, written), scope)
      const own = { type, ...type.compile(definition, { allowed, blocks, compile }) }
      const bound = withAspects(own, definition, aspects, place)
      return Object.freeze(bound.codec ? { ...bound, type: sealed(bound) } : bound)
    },
    unused(type, definition) {
      const inner = 'items' in type.attributes ? ownAttributes(registry, type, definition['items']) : []
      const known = new Set<string>([...type.uses, ...Object.keys(type.attributes), ...inner])
      const bound = [...BOUNDS, ...Object.keys(attributes)]
      return bound.filter((name) => definition[name] !== undefined && !known.has(name) && !aspects.has(name))
    },
  }
  return Object.freeze(registry)
}

function namesOf(types: readonly FieldType[]): ReadonlyMap<string, FieldType> {
  const byName = new Map<string, FieldType>()
  for (const type of types) {
    for (const name of [type.name, ...type.aliases]) {
      const holder = byName.get(name)
      if (holder !== undefined)
        throw new StartupError(
          'domain',
          `two field types are called '${name}': '${holder.name}' and '${type.name}'`,
          'Rename one of them',
        )
      byName.set(name, type)
    }
  }
  return byName
}

/** An attribute that several types add takes what any of them takes; each type reads its own more strictly. */
function attributesOf(
  types: readonly FieldType[],
  aspects: ReadonlyMap<string, Aspect>,
): Readonly<Record<string, z.ZodType>> {
  const gathered = new Map<string, Set<AttributeSchema>>()
  for (const type of types) {
    for (const [name, schema] of Object.entries(type.attributes)) {
      if (name in commonFieldAttributes)
        throw new StartupError(
          'domain',
          `the field type '${type.name}' adds '${name}', which every field has`,
          'Rename the attribute',
        )
      gathered.set(name, (gathered.get(name) ?? new Set()).add(schema))
    }
  }
  const attributes: Record<string, z.ZodType> = {}
  const field: FieldSchema = z.lazy(() => fieldSchema(attributes))
  for (const [name, schemas] of gathered) attributes[name] = oneOf([...schemas], field).optional()
  for (const [name, { schema }] of aspects) attributes[name] = schema.optional()
  return Object.freeze(attributes)
}

function oneOf(schemas: readonly AttributeSchema[], field: FieldSchema): z.ZodType {
  const [first, ...others] = schemas.map((schema) => (typeof schema === 'function' ? schema(field) : schema))
  return others.length === 0 ? first! : z.union([first!, ...others])
}

/** The names of the attributes that the type of an inner field adds, and that the type around it does not have. */
function ownAttributes(types: FieldTypes, around: FieldType, written: unknown): readonly string[] {
  const name: unknown = typeof written === 'string' ? written : Object(written)['type']
  const type = typeof name === 'string' ? types.find(name) : undefined
  return Object.keys(type?.attributes ?? {}).filter((attribute) => !(attribute in around.attributes))
}

/** An inner field with what the field around it says of it. */
function handedDown(
  types: FieldTypes,
  type: FieldType,
  around: FieldDefinition,
  written: string | FieldDefinition,
): FieldDefinition {
  const own = typeof written === 'string' ? { type: written } : written
  const down = ownAttributes(types, type, own).filter((name) => around[name] !== undefined)
  return { ...Object.fromEntries(down.map((name) => [name, around[name]])), ...own }
}

/** An enumeration that nothing heeds would be a rule that is not kept. */
function refuseEnum({ name, uses }: FieldType, { enum: written }: FieldDefinition): void {
  if (written === undefined || uses.includes('enum')) return
  throw new FieldTypeError('enum', `the type '${name}' takes no enum`, "Take a field of type 'string'")
}

function compileInner(types: FieldTypes, definition: FieldDefinition, scope: FieldScope): CompiledType {
  const { type: name } = definition
  if (name === undefined)
    throw new FieldTypeError([], 'a field needs a type', "Write 'type: string', for example")
  const type = types.find(name)
  if (type === undefined)
    throw new FieldTypeError('type', `there is no field type '${name}'`, types.advice(name))
  if (type.generated || !type.readable || type.make !== undefined)
    throw new FieldTypeError(
      'type',
      `the type '${name}' cannot stand inside another field`,
      'Make it a field of the resource',
    )
  const compiled = types.compile(type, definition, {
    ...scope,
    allowed: allowedBy(definition, scope),
    place: undefined,
  })
  if (compiled.codec === undefined) return compiled
  throw new FieldTypeError(
    'type',
    `the type '${name}' keeps its values sealed, which a value inside of another is not`,
    'Make it a field of the resource',
  )
}

/** The type as its values can be asked for once they are sealed. */
const sealed = ({ type, equality }: CompiledType): FieldType =>
  Object.freeze({ ...type, operators: equality ? EQUALITY : NULL, sortable: false, searchable: false })

const NULL = ['null'] as const
const EQUALITY = ['eq', 'ne', 'in', 'null'] as const

function allowedBy({ enum: written }: FieldDefinition, { enums }: FieldScope): readonly string[] | undefined {
  if (typeof written !== 'string') return written
  const found = enums.get(written)
  if (found === undefined)
    throw new FieldTypeError(
      'enum',
      `there is no enumeration '${written}'`,
      didYouMean(written, enums.keys()),
    )
  return [...found.values.keys()]
}
