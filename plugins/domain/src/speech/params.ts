import type { Value } from '@svc/store/contract'

/** What a message is made of, by the names that stand in it. */
export type Params = Readonly<Record<string, Value>>
