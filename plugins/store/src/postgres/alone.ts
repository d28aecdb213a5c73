import { type AccompaniedPlan, accompaniedInsert, accompaniedUpdate } from '../compile/accompanied.ts'
import type { Compiler } from '../compile/compiler.ts'
import type { Form } from '../compile/form.ts'
import { insert } from '../compile/insert.ts'
import { update } from '../compile/update.ts'
import type { Opening } from '../contract.ts'
import type { Condition, InsertPlan, Table, UpdatePlan } from '../plan.ts'
import type { Appended } from './appended.ts'
import { type Glimpse, keyIn, sinceGlimpse } from './glimpse.ts'
import type { LoneWrite } from './writes.ts'

/** What a write that would be alone finds of its transaction. */
export interface Before {
  readonly opening: Opening | undefined
  /** What was looked at without being held. */
  readonly glimpse: Glimpse | undefined
  /** What is to be written besides. */
  readonly appended: Appended
}

/** A write that is all of its transaction, and needs neither a beginning nor an end. */
export interface Alone extends LoneWrite {
  /** Whether it asks for something: where that is not so nothing is written. */
  readonly asks: boolean
}

/** A kind of write, by itself and alone. */
export interface WriteKind<P> {
  readonly form: Form<P & { readonly table: Table }>
  readonly accompanied: Form<AccompaniedPlan<P>>
  /** What it has to ask; undefined where it may not be alone. */
  conditions(plan: P, before: Before): readonly Condition[] | undefined
  /** Whether it writes its row, or that is heard of: others may go along with it then. */
  isTold(plan: P, asked: readonly Condition[]): boolean
  narrowed(plan: P, also: Condition): P
  /** Where it stands among those that it may share a transaction with; undefined where there are none. */
  order(plan: P): string | undefined
}

export const INSERT: WriteKind<InsertPlan> = {
  form: insert,
  accompanied: accompaniedInsert,
  conditions({ values }, { glimpse, opening }) {
    const unless = opening?.unless
    if (unless === undefined) return glimpse === undefined ? [] : undefined
    return glimpse === undefined && Object.keys(values).length > 0 ? [unless] : undefined
  },
  isTold: ({ onConflict }) => onConflict === undefined,
  narrowed: (plan, where) => ({ ...plan, where }),
  // It waits for no row that is there.
  order: () => '',
}

export const UPDATE: WriteKind<UpdatePlan> = {
  form: update,
  accompanied: accompaniedUpdate,
  conditions(plan, { glimpse, opening }) {
    const unless = opening?.unless
    const asked = unless === undefined ? [] : [unless]
    if (glimpse === undefined) return asked
    const since = sinceGlimpse(glimpse, plan)
    return since && [since, ...asked]
  },
  isTold: ({ returning }, asked) => returning === undefined && asked.length > 0,
  narrowed: (plan, also) => ({ ...plan, where: { op: 'and', of: [plan.where, also] } }),
  order({ table, where }) {
    const key = keyIn(where, table)
    return key === undefined ? undefined : `${table.name} ${String(key)}`
  },
}

/** The one statement of a write that is alone; undefined where one is not enough. */
export function alone<P extends InsertPlan | UpdatePlan>(
  kind: WriteKind<P>,
  plan: P,
  compiler: Compiler,
  before: Before,
): Alone | undefined {
  const { appended, opening } = before
  const asked = kind.conditions(plan, before)
  if (asked === undefined) return undefined
  const [first, ...more] = asked
  const also: Condition | undefined = first && more.length > 0 ? { op: 'and', of: asked } : first
  const write = also === undefined ? plan : kind.narrowed(plan, also)
  const asks = also !== undefined
  const order = kind.order(plan)
  if (appended.isEmpty) return { call: compiler.call(kind.form, write), sharedLock: undefined, order, asks }
  const rows = kind.isTold(plan, asked) ? appended.few : undefined
  if (rows === undefined) return undefined
  const call = compiler.call(kind.accompanied, { table: plan.table, write, rows })
  return { call, sharedLock: opening?.sharedLock, order, asks }
}
