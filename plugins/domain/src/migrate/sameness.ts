import { isDeepStrictEqual } from 'node:util'
import { isComputed } from '../model/computed.ts'
import type { ComputedField, Field } from '../model/field.ts'
import { Judged } from '../model/judged.ts'
import { compareFields } from './narrowing.ts'
import type { ResourcePair } from './pairs.ts'

/** Whether records have in a model what they had in the one before it: each field is compared once, however many formulas read it. */
export class Sameness {
  readonly #pairs: ReadonlyMap<string, ResourcePair>
  readonly #former = new Map<ResourcePair, ReadonlyMap<string, Field>>()
  readonly #same = new Judged<ResourcePair>()
  #areAllSame: boolean | undefined

  constructor(pairs: readonly ResourcePair[]) {
    this.#pairs = new Map(pairs.map((pair) => [pair.to.name, pair]))
  }

  /** Whether what is stored of a formula is what it gives by now. */
  isUpToDate(field: ComputedField, pair: ResourcePair): boolean {
    const former = this.#formerOf(pair)
    const before = former.get(field.name)
    const { computed } = field
    if (before?.column === undefined || before.computed?.expression.source !== computed.expression.source)
      return false
    return (
      isSameType(before, field) &&
      before.computed.overridable === computed.overridable &&
      [...computed.expression.fields].every(
        (name) =>
          // What is new no formula of a record names, and a column's new name is carried into these.
          (!computed.declared.has(name) && former.get(name)?.name !== name) || this.#isSame(name, pair),
      ) &&
      this.#isSameAcross(field) &&
      (!computed.overridable || pair.to.others === undefined || this.#areSame())
    )
  }

  #formerOf(pair: ResourcePair): ReadonlyMap<string, Field> {
    const known = this.#former.get(pair)
    if (known !== undefined) return known
    const made = new Map(pair.fields.kept.map(({ from, to }) => [to.name, from]))
    this.#former.set(pair, made)
    return made
  }

  /** Whether what a formula finds in other records is as it was. */
  #isSameAcross({ computed: { crossings } }: ComputedField): boolean {
    return crossings.every(({ resource, reads }) => {
      const other = this.#pairs.get(resource)
      if (other === undefined || other.from.name !== resource) return false
      if (other.from.features.softDelete !== other.to.features.softDelete) return false
      return [...reads].every((name) => this.#isSame(name, other))
    })
  }

  /** Whether all that formulas of records may find anywhere is as it was, as far as it is still there under its name. */
  #areSame(): boolean {
    this.#areAllSame ??= [...this.#pairs.values()].every(
      (pair) =>
        pair.from.features.softDelete === pair.to.features.softDelete &&
        pair.fields.kept.every(
          ({ from, to }) => to.column === undefined || from.name !== to.name || this.#isSame(to.name, pair),
        ),
    )
    return this.#areAllSame
  }

  /** Whether a field that a formula reads has the values that it had. */
  #isSame(name: string, pair: ResourcePair): boolean {
    return this.#same.once(pair, name, () => this.#compare(name, pair))
  }

  #compare(name: string, pair: ResourcePair): boolean {
    const [before, now] = [this.#formerOf(pair).get(name), pair.to.fields.get(name)]
    if (before === undefined || now === undefined || before.name !== now.name) return false
    if (!isSameType(before, now)) return false
    if (now.computed === undefined) {
      const { narrows, doubts, becomesRequired } = compareFields(before, now)
      return before.computed === undefined && narrows.length + doubts.length === 0 && !becomesRequired
    }
    if (before.computed?.expression.source !== now.computed.expression.source) return false
    if (before.computed.overridable !== now.computed.overridable) return false
    return (
      [...now.computed.declared].every((inner) => this.#isSame(inner, pair)) &&
      (!isComputed(now) || this.#isSameAcross(now))
    )
  }
}

const isSameType = (a: Field, b: Field): boolean =>
  a.compiled.type.name === b.compiled.type.name && isDeepStrictEqual(withoutTexts(a), withoutTexts(b))

/** What decides which results of a formula fit. */
const withoutTexts = ({ definition: { label: _, description: __, computed: ___, ...rest } }: Field) => rest
