import type { CompiledValue, Expression, Field, Resource } from '@svc/domain/contract'
import type { Mapping } from '../mapping/mapping.ts'

/** One write, compiled. */
export interface Write {
  readonly resource: Resource
  readonly action: 'create' | 'update' | 'upsert' | 'delete' | 'transition'
  readonly match: readonly Field[]
  readonly mapping: Mapping
  readonly required: readonly string[]
  readonly skipsNull: boolean
  readonly transition: string | undefined
  readonly when: Expression | undefined
  readonly forEach: CompiledValue | undefined
}
