import type { Expression, Reach } from '@svc/expression/contract'
import type { Field } from './field.ts'
import { isBase } from './computed.ts'
import { fieldId } from './formula-reads.ts'
import { isCrossable } from './others.ts'
import { resourceOf } from './record-shape.ts'
import { endOf } from './relation-end.ts'
import type { Resource } from './resource.ts'
import { siblingsOf } from './siblings.ts'

/** A field that values are made of, and the resource that it belongs to. */
export interface Source {
  readonly resource: Resource
  readonly field: Field
  /** Whether it is a field of the record itself, and not of one that is reached, looked up or at hand besides. */
  readonly isNear: boolean
}

/**
 * The fields that a value of an expression is made of, at any depth: those that it names, reaches along relationships or looks up in
 * other records, and those that these are made of in turn. Whoever asks what a value may tell of asks here, and follows no formula by
 * oneself. It is asked when the model is whole; `resource` is that of the record which the expression speaks of.
 */
export function sourcesOf(expression: Expression, resource: Resource | undefined): readonly Source[] {
  const tracing = new Tracing()
  tracing.read(expression, resource, true)
  return tracing.sources
}

/** The fields that a field is made of, at any depth, itself not among them: none where it holds what was sent. */
export function sourcesOfField(field: Field, resource: Resource): readonly Source[] {
  const tracing = new Tracing()
  tracing.making(field, resource, true)
  return tracing.sources.filter((one) => one.field !== field)
}

/** The first of some fields whose values are kept sealed: nothing that is made of these is to be kept in the clear. */
export const firstSealed = (sources: readonly Pick<Source, 'field'>[]): Field | undefined =>
  sources.find(({ field }) => field.column?.codec !== undefined)?.field

/** The first of those that values of some expressions, which speak of a record of `resource`, are made of. */
export const sealedIn = (
  expressions: readonly Expression[],
  resource: Resource | undefined,
): Field | undefined => firstSealed(expressions.flatMap((one) => sourcesOf(one, resource)))

class Tracing {
  /** Whether formulas count as they are declared, as if no record had one of its own. */
  readonly #asDeclared: boolean
  readonly #found = new Map<string, Source>()
  /** Fields for which a record may have a formula of its own have all that such a one may name added once, however many they are. */
  readonly #named = new Set<string>()
  #others: ReadonlyMap<string, Resource> | undefined

  constructor({ asDeclared = false } = {}) {
    this.#asDeclared = asDeclared
  }

  get sources(): readonly Source[] {
    const found = [...this.#found.values()]
    return this.#others === undefined ? found : [...found, ...crossableOf(this.#others)]
  }

  all(names: Iterable<string>, resource: Resource, isNear: boolean): void {
    for (const name of names) {
      const field = resource.fields.get(name)
      const id = `${fieldId(resource.name, name)} ${isNear}`
      // Formulas may read each other in a circle, by way of other records.
      if (field === undefined || this.#found.has(id)) continue
      this.#found.set(id, { resource, field, isNear })
      this.making(field, resource, isNear)
    }
  }

  /** What a field is made of: a slug, a formula, or one that a record may have in place of that, which may name anything. */
  making({ from, computed }: Field, resource: Resource, isNear: boolean): void {
    if (from !== undefined) this.all([from], resource, isNear)
    if (computed === undefined) return
    const { expression, declared, overridable } = computed
    this.read(this.#asDeclared ? { ...expression, fields: declared } : expression, resource, isNear)
    if (overridable && !this.#asDeclared) this.#anything(resource, isNear)
  }

  #anything(resource: Resource, isNear: boolean): void {
    if (resource.others !== undefined) this.#others = siblingsOf(resource)
    const id = `${resource.name} ${isNear}`
    if (this.#named.has(id)) return
    this.#named.add(id)
    this.all(nameableOf(resource), resource, isNear)
  }

  read(expression: Expression, resource: Resource | undefined, isNear: boolean): void {
    const { fields, members, origins, reach, previousReach, crossings } = expression
    if (resource !== undefined) this.all(fields, resource, isNear)
    const atHand = [...[...members].map(([source, names]) => ({ source, names })), ...origins]
    for (const { source, names } of atHand) {
      const of = resourceOf(source)
      if (of !== undefined) this.all(names, of, false)
    }
    this.#along(reach)
    this.#along(previousReach)
    for (const { resource: name, reads } of crossings) {
      const other = resource && siblingsOf(resource).get(name)
      if (other !== undefined) this.all(reads, other, false)
    }
  }

  #along(reach: Reach): void {
    for (const { relation, fields, reach: further } of reach.values()) {
      const { target } = endOf(relation)
      if (target !== undefined) this.all(fields, target, false)
      this.#along(further)
    }
  }
}

const nameable = new WeakMap<Resource, readonly string[]>()

/** The fields of its record that a record's own formula may name: nothing is sealed that their values are made of. */
function nameableOf(resource: Resource): readonly string[] {
  const known = nameable.get(resource)
  if (known !== undefined) return known
  const fields = [...resource.fields.values()].filter(
    (field) => field.overrides === undefined && (field.computed !== undefined || isBase(field)),
  )
  const names = fields.filter((field) => !isSealed(field, resource)).map(({ name }) => name)
  nameable.set(resource, names)
  return names
}

function isSealed(field: Field, resource: Resource): boolean {
  const tracing = new Tracing({ asDeclared: true })
  tracing.making(field, resource, true)
  return firstSealed([{ field }, ...tracing.sources]) !== undefined
}

const crossable = new WeakMap<ReadonlyMap<string, Resource>, readonly Source[]>()

/** All that formulas of a model may find in other records, with what that is made of. */
function crossableOf(resources: ReadonlyMap<string, Resource>): readonly Source[] {
  const known = crossable.get(resources)
  if (known !== undefined) return known
  const tracing = new Tracing()
  // Formulas that may name anything of these add nothing to them.
  crossable.set(resources, [])
  for (const resource of resources.values()) {
    const fields = [...resource.fields.values()].filter(isCrossable)
    tracing.all(
      fields.map(({ name }) => name),
      resource,
      false,
    )
  }
  const { sources } = tracing
  crossable.set(resources, sources)
  return sources
}
