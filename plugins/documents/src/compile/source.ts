import type { Expression, Resource, RowCondition } from '@svc/domain/contract'
import type { Order, Value } from '@svc/store/contract'

/** What a template is filled with, under one name. */
export type Source = { readonly name: string } & (
  | { readonly kind: 'record' }
  | {
      readonly kind: 'rows'
      readonly resource: Resource
      readonly filter: RowCondition | undefined
      readonly order: readonly Order[]
      readonly isSingle: boolean
      readonly limit: number | undefined
      readonly include: readonly string[]
    }
  | { readonly kind: 'static'; readonly value: Value }
  | { readonly kind: 'computed'; readonly expression: Expression; readonly written: string }
  | { readonly kind: 'history'; readonly limit: number; readonly events: ReadonlySet<string> | undefined }
)
