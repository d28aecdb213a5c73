import { checkExpression, ExpressionError, type Kind, parseExpression } from '@svc/expression/contract'
import type { ResourceDraft } from './draft.ts'

/** A field among those of all resources. */
export const fieldId = (resource: string, field: string): string => `${resource}.${field}`

/** What a formula reads, before anything is known of other formulas but their names. */
export interface Reads {
  /** Names of other formulas. */
  readonly formulas: readonly string[]
  /** Whether it reaches other records by itself. */
  readonly reaches: boolean
  /** The fields of other records that it looks into by itself. */
  readonly across: readonly string[]
}

/** What a formula reads; nothing where it cannot be read, which is told when it is compiled. */
export function readsOf(
  { source, stored }: { readonly source: string; readonly stored: boolean | undefined },
  names: ReadonlyMap<string, Kind>,
  { formulas, relations, others }: ResourceDraft,
): Reads {
  try {
    const vocabulary = { fields: names, relations, others: stored ? others?.unread : undefined }
    const { fields, reach, crossings } = checkExpression(parseExpression(source), vocabulary)
    return {
      formulas: [...fields].filter((name) => formulas.has(name)),
      reaches: reach.size > 0,
      across: crossings.flatMap(({ resource, reads }) => [...reads].map((name) => fieldId(resource, name))),
    }
  } catch (error) {
    if (error instanceof ExpressionError) return { formulas: [], reaches: false, across: [] }
    throw error
  }
}
