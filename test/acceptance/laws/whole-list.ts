import type { Random } from '../../kit/random.ts'
import type { TestAnswer } from '../../kit/request.ts'
import type { Parameter } from './queries.ts'
import type { ResourceShape } from './shape.ts'

export type Item = Readonly<Record<string, unknown>>

/** A list as one caller gets it whole, and the means to ask for the same in other ways. */
export interface WholeList {
  readonly resource: ResourceShape
  /** The filters, search, scope and order that were asked for. */
  readonly parameters: readonly Parameter[]
  readonly items: readonly Item[]
  readonly random: Random
  /** Asks the same caller's question at `suffix` below the collection. */
  ask(suffix: string, parameters: readonly Parameter[]): Promise<TestAnswer>
}

/** What has to hold of a list; answers two sides that have to be equal. */
export type ListLaw = (list: WholeList) => Promise<readonly [found: unknown, expected: unknown]>

/** Both sides of a law that says nothing of this list. */
export const UNSAID = [undefined, undefined] as const

/** The keys of some items, in order. */
export const keysOf = ({ resource }: WholeList, items: readonly Item[]): readonly unknown[] =>
  items.map((item) => item[resource.key])

/** What was asked for but the order. */
export const unsorted = ({ parameters }: WholeList): readonly Parameter[] =>
  parameters.filter(([name]) => name !== 'sort')
