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
}

/**
 * The fields that a value of an expression is made of, at any depth: those that it names, reaches along relationships or looks up in
 * other records, and those that these are made of in turn. Whoever asks what a value may tell of asks here, and follows no formula by
 * oneself. It is asked when the model is whole; `resource` is that of the record which the expression speaks of.
 */
export function sourcesOf(expression: Expression, resource: Resource | undefined): readonly Source[] {
  const found: Found = new Map()
  addRead(expression, resource, found)
  return [...found.values()]
}

/** The fields that a field is made of, at any depth, itself not among them: none where it holds what was sent. */
export function sourcesOfField(field: Field, resource: Resource): readonly Source[] {
  const found: Found = new Map()
  addMaking(field, resource, found)
  return [...found.values()].filter((one) => one.field !== field)
}

/** The first of some fields whose values are kept sealed: nothing that is made of these is to be kept in the clear. */
export const firstSealed = (sources: Iterable<Pick<Source, 'field'>>): Field | undefined =>
  [...sources].find(({ field }) => field.column?.codec !== undefined)?.field

type Found = Map<string, Source>

function addAll(names: Iterable<string>, resource: Resource, found: Found): void {
  for (const name of names) {
    const field = resource.fields.get(name)
    const id = fieldId(resource.name, name)
    // Formulas may read each other in a circle, by way of other records.
    if (field === undefined || found.has(id)) continue
    found.set(id, { resource, field })
    addMaking(field, resource, found)
  }
}

/** What a field is made of: a slug, a formula, or one that a record may have in place of that, which may name anything. */
function addMaking({ from, computed }: Field, resource: Resource, found: Found): void {
  if (from !== undefined) addAll([from], resource, found)
  if (computed === undefined) return
  addRead(computed.expression, resource, found)
  if (!computed.overridable || resource.others === undefined) return
  for (const other of siblingsOf(resource).values()) {
    const fields = [...other.fields.values()].filter(isCrossable)
    addAll(
      fields.map(({ name }) => name),
      other,
      found,
    )
  }
}

function addRead(expression: Expression, resource: Resource | undefined, found: Found): void {
  const { fields, members, origins, reach, previousReach, crossings } = expression
  if (resource !== undefined) addAll(fields, resource, found)
  const atHand = [...[...members].map(([source, names]) => ({ source, names })), ...origins]
  for (const { source, names } of atHand) {
    const of = resourceOf(source)
    if (of !== undefined) addAll(names, of, found)
  }
  addReach(reach, found)
  addReach(previousReach, found)
  for (const { resource: name, reads } of crossings) {
    const other = resource && siblingsOf(resource).get(name)
    if (other !== undefined) addAll(reads, other, found)
  }
}

function addReach(reach: Reach, found: Found): void {
  for (const { relation, fields, reach: further } of reach.values()) {
    const { target } = endOf(relation)
    if (target !== undefined) addAll(fields, target, found)
    addReach(further, found)
  }
}
