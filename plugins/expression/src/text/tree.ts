import type { Expression } from '../expression.ts'
import type { AppliedPipe } from './pipe.ts'

/** A part of a text that was read, checked and compiled. */
export type Part = WordsPart | ValuePart | MarkPart | EachPart | IfPart

/** What stands in the text as it is. */
export interface WordsPart {
  readonly kind: 'words'
  readonly text: string
}

/** `{expression | pipe: argument}`. */
export interface ValuePart {
  readonly kind: 'value'
  /** Where its brace stands. */
  readonly offset: number
  readonly value: Expression
  readonly pipes: readonly AppliedPipe[]
}

/** A word in braces that the place itself gives a meaning, such as `{page}`. */
export interface MarkPart {
  readonly kind: 'mark'
  readonly offset: number
  readonly name: string
}

/** `{#each list as item}…{:else}…{/each}`. */
export interface EachPart {
  readonly kind: 'each'
  /** Where the braces of its tags stand: what opens it, `{:else}` if there is one, what closes it. */
  readonly tags: readonly number[]
  readonly list: Expression
  /** The name of the item. */
  readonly as: string | undefined
  /** The bare names in its body that may be members of an item. */
  readonly members: ReadonlySet<string>
  /** Whether these are known members: one that an item lacks is null then, else it means what it means outside. */
  readonly isClosed: boolean
  readonly body: readonly Part[]
  readonly otherwise: readonly Part[]
}

/** `{#if condition}…{:else if condition}…{:else}…{/if}`. */
export interface IfPart {
  readonly kind: 'if'
  /** Where the braces of its tags stand, in the order of the text. */
  readonly tags: readonly number[]
  /** The first whose condition is true is the one. */
  readonly branches: readonly Branch[]
  readonly otherwise: readonly Part[]
}

export interface Branch {
  readonly condition: Expression
  readonly body: readonly Part[]
}
