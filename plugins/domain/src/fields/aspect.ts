import { StartupError } from '@svc/kernel'
import type { z } from 'zod'
import { commonFieldAttributes, type FieldDefinition, OPEN_ATTRIBUTES } from '../definition/schema/field.ts'
import { within } from './field-type-error.ts'
import type { CompiledType, FieldPlace } from './field-type.ts'

/** A common attribute that a plugin adds to every field, whatever its type, such as `privacy`. */
export interface Aspect<T = unknown> {
  /** The attribute's name; `privacy` takes the place of the engine's own. */
  readonly name: string
  /** Judges what is written; its descriptions are those of editors. */
  readonly schema: z.ZodType<T>
  /**
   * Lays what is written over the type of the field that has the attribute, a field inside of another too: another check,
   * filters, derived values, or a codec, with which a field is filtered, sorted and searched by nothing that its type says.
   * It is pure, and runs once for each definition that is read. Throws FieldTypeError where it makes no sense there.
   * `place` says where the field stands; undefined of one inside of another.
   */
  apply(written: T, type: CompiledType, definition: FieldDefinition, place: FieldPlace | undefined): Changed
  /** Keys below `domain` that say something of how fields with the attribute are stored. */
  readonly reads?: readonly string[]
}

/** What an aspect may change of a type that is bound to a field. */
export type Changed = Omit<CompiledType, 'type'>

/** Aspects by name. One that is taken already ends the start. */
export function aspectsByName(
  aspects: readonly Aspect[],
  attributes: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Aspect> {
  const byName = new Map<string, Aspect>()
  for (const aspect of aspects) {
    const { name } = aspect
    const isOurs = name in commonFieldAttributes && !OPEN_ATTRIBUTES.has(name)
    if (isOurs || Object.hasOwn(attributes, name) || byName.has(name))
      throw new StartupError('domain', `the attribute '${name}' of fields has an owner already`, 'Rename one')
    byName.set(name, aspect)
  }
  return byName
}

/** The type with every aspect that the field carries laid over it, in the order in which they were added. */
export function withAspects(
  compiled: CompiledType,
  definition: FieldDefinition,
  aspects: ReadonlyMap<string, Aspect>,
  place: FieldPlace | undefined,
): CompiledType {
  let made = compiled
  for (const [name, { schema, apply }] of aspects) {
    const written = definition[name]
    if (written === undefined) continue
    const before = made
    made = {
      ...within([name], () => apply(schema.parse(written), before, definition, place)),
      type: before.type,
    }
    if (made.codec !== undefined && before.codec === undefined) made = withoutTraces(made, before)
  }
  return made
}

/** What is sealed is not kept in the clear beside that: what the type itself derives goes, and filters that look at it. */
function withoutTraces(made: CompiledType, before: CompiledType): CompiledType {
  const { derived, indexes, filters, ...rest } = made
  return {
    ...rest,
    ...(derived !== undefined && derived !== before.derived && { derived }),
    ...(indexes !== undefined && indexes !== before.indexes && { indexes }),
    ...(filters !== undefined && filters !== before.filters && { filters }),
  }
}
