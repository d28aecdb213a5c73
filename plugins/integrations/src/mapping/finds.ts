import { type Data, type Field, leftAmong, type Resource } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { type Caller, errors } from '@svc/kernel'
import type { Condition, Row, Value } from '@svc/store/contract'

/** How many records one find brings, and how many finds there are in a run. */
const MOST_RECORDS = 100
const MOST_FINDS = 100

/** What is looked for: the records of a resource that have all these values. */
export interface Wanted {
  readonly resource: Resource
  readonly pairs: readonly (readonly [field: Field, value: Value])[]
}

/** The name under which expressions find the finder of their run: no text can write it. */
const FINDS = '~finds'

/**
 * What a run looks for in other records. Expressions are worked out at once and reading takes time: what one asks for is noted,
 * read, and the expression worked out again.
 */
export class Finds {
  readonly #read: (wanted: Wanted) => Promise<readonly Row[]>
  readonly #known = new Map<string, readonly Row[]>()
  readonly #asked = new Map<string, Wanted>()
  #count = 0

  constructor(read: (wanted: Wanted) => Promise<readonly Row[]>) {
    this.#read = read
  }

  /** The records that were found; undefined where they have to be read first. */
  ask(wanted: Wanted): readonly Row[] | undefined {
    if (wanted.pairs.some(([, value]) => value === null)) return []
    const key = JSON.stringify([wanted.resource.name, wanted.pairs.map(([{ name }, value]) => [name, value])])
    const known = this.#known.get(key)
    if (known === undefined) this.#asked.set(key, wanted)
    return known
  }

  /** Works something out that may look for records. Throws what the last time of working it out throws. */
  async work<T, C extends EvaluationContext>(context: C, out: (context: C) => T): Promise<T> {
    const finding: C = { ...context, variables: { ...context.variables, [FINDS]: this as unknown as Value } }
    for (;;) {
      let result: { readonly value: T } | { readonly error: unknown }
      try {
        result = { value: out(finding) }
      } catch (error) {
        result = { error }
      }
      if (this.#asked.size === 0) {
        if ('error' in result) throw result.error
        return result.value
      }
      await this.#settle()
    }
  }

  async #settle(): Promise<void> {
    const asked = [...this.#asked]
    this.#asked.clear()
    this.#count += asked.length
    if (this.#count > MOST_FINDS)
      throw errors.VALIDATION_ERROR({
        errors: [
          { field: '', rule: 'mapping', message: `One run looks for records ${MOST_FINDS} times at most` },
        ],
      })
    for (const [key, wanted] of asked) this.#known.set(key, await this.#read(wanted))
  }
}

/** The finder of the run that an expression belongs to; undefined outside of one. */
export const findsIn = ({ variables }: EvaluationContext): Finds | undefined => {
  const found = (variables as Readonly<Record<string, unknown>> | undefined)?.[FINDS]
  return found instanceof Finds ? found : undefined
}

/** Finds records that a caller may list, as it may see them, in the order of their keys. */
export const findsOf = (data: Data, callerOf: () => Promise<Caller>): Finds =>
  new Finds(async ({ resource, pairs }) => {
    const where: Condition[] = []
    for (const [{ column, compiled }, value] of pairs) {
      const checked = compiled.check(value)
      // A value that no record can have.
      if (!('value' in checked) || checked.value === null || column === undefined) return []
      where.push({ op: 'eq', column, value: checked.value })
    }
    const { key } = resource
    const { rows } = await data.read(
      resource,
      {
        where,
        isAutomated: true,
        query: { limit: String(MOST_RECORDS) },
        ...(key.column && { order: [{ column: key.column, descending: false }] }),
      },
      { caller: await callerOf() },
    )
    return leftAmong(resource, rows, ['automate'], data.reader)
  })

/** Of a run that looks for nothing before it begins. */
export const noFinds = new Finds(() => Promise.resolve([]))
