import type { EnumerationDefinition } from '../definition/schema/definition.ts'
import type { Text } from '../definition/schema/text.ts'

export interface EnumerationValue {
  readonly value: string
  readonly label: Text | undefined
  readonly description: Text | undefined
  readonly color: string | undefined
  readonly icon: string | undefined
  readonly final: boolean
}

/** A closed list of texts, in the order of the definition. An inline list has no name. */
export interface Enumeration {
  readonly name: string | undefined
  readonly label: Text | undefined
  readonly description: string | undefined
  readonly values: ReadonlyMap<string, EnumerationValue>
  /** The texts alone, one list for all fields that hold them. */
  readonly names: readonly string[]
}

/** Compiles the enumerations of a definition. */
export function buildEnumerations(
  definitions: Readonly<Record<string, EnumerationDefinition>>,
): ReadonlyMap<string, Enumeration> {
  return new Map(
    Object.entries(definitions).map(([name, definition]) => [name, buildEnumeration(name, definition)]),
  )
}

/** An enumeration that a field lists itself. */
export const inlineEnumeration = (values: readonly string[]): Enumeration =>
  enumerationOf({}, new Map(values.map((value) => [value, plain(value)])))

function buildEnumeration(name: string, { label, description, values }: EnumerationDefinition): Enumeration {
  const entries = Array.isArray(values)
    ? values.map((value) => [value, plain(value)] as const)
    : Object.entries(values).map(([value, facts]) => [value, rich(value, facts)] as const)
  return enumerationOf({ name, label, description }, new Map(entries))
}

const enumerationOf = (
  { name, label, description }: Partial<Pick<Enumeration, 'name' | 'label' | 'description'>>,
  values: Enumeration['values'],
): Enumeration =>
  Object.freeze({ name, label, description, values, names: Object.freeze([...values.keys()]) })

const plain = (value: string): EnumerationValue => rich(value, null)

type Facts = Exclude<EnumerationDefinition['values'], string[]>[string]

function rich(value: string, facts: Facts): EnumerationValue {
  return Object.freeze({
    value,
    label: facts?.label,
    description: facts?.description,
    color: facts?.color,
    icon: facts?.icon,
    final: facts?.final ?? false,
  })
}
