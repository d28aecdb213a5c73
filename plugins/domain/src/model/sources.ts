import type { Expression, Reach } from '@svc/expression/contract'
import type { Field } from './field.ts'
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
export const firstSealed = (sources: Iterable<Pick<Source, 'field'>>): Field | undefined =>
  [...sources].find(({ field }) => field.column?.codec !== undefined)?.field

class Tracing {
  readonly #found = new Map<string, Source>()

  get sources(): readonly Source[] {
    return [...this.#found.values()]
  }

  #all(names: Iterable<string>, resource: Resource, isNear: boolean): void {
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
    if (from !== undefined) this.#all([from], resource, isNear)
    if (computed === undefined) return
    this.read(computed.expression, resource, isNear)
    if (!computed.overridable || resource.others === undefined) return
    for (const other of siblingsOf(resource).values()) {
      const fields = [...other.fields.values()].filter(isCrossable)
      const names = fields.map(({ name }) => name)
      this.#all(names, other, false)
    }
  }

  read(expression: Expression, resource: Resource | undefined, isNear: boolean): void {
    const { fields, members, origins, reach, previousReach, crossings } = expression
    if (resource !== undefined) this.#all(fields, resource, isNear)
    const atHand = [...[...members].map(([source, names]) => ({ source, names })), ...origins]
    for (const { source, names } of atHand) {
      const of = resourceOf(source)
      if (of !== undefined) this.#all(names, of, false)
    }
    this.#along(reach)
    this.#along(previousReach)
    for (const { resource: name, reads } of crossings) {
      const other = resource && siblingsOf(resource).get(name)
      if (other !== undefined) this.#all(reads, other, false)
    }
  }

  #along(reach: Reach): void {
    for (const { relation, fields, reach: further } of reach.values()) {
      const { target } = endOf(relation)
      if (target !== undefined) this.#all(fields, target, false)
      this.#along(further)
    }
  }
}
