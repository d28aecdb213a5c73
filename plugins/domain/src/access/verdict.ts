import type { Caller } from '@svc/kernel'
import { type Neighbours, NO_REACH, type Reach } from '@svc/expression/contract'
import type { Column, Condition, Row } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import { isExpression, type Permission, type Rule } from '../model/permission.ts'

/** Which records a permission opens to one caller: all, none, or those that a rule picks. */
export type Verdict =
  | { readonly kind: 'all' }
  | { readonly kind: 'none'; readonly anonymous: boolean }
  | {
      readonly kind: 'some'
      /** The rule for the store. */
      rows(): Condition
      /** Columns that `test` looks at. */
      readonly reads: readonly Column[]
      /** The related records that `test` looks at. */
      readonly reach: Reach
      test(record: Row, neighbours: Neighbours | undefined): boolean
    }

/** Who asks, about which records, and when. */
export interface Judging {
  readonly caller: Caller
  readonly fields: ReadonlyMap<string, Field>
  readonly ownerField: Field | undefined
  readonly op: string
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
}

const ALL: Verdict = Object.freeze({ kind: 'all' })
const NONE: Verdict = Object.freeze({ kind: 'none', anonymous: false })
const SIGN_IN: Verdict = Object.freeze({ kind: 'none', anonymous: true })

/** Names with a meaning of their own; every other one is a role. */
export const PUBLIC = '*'
export const AUTHENTICATED = 'authenticated'
export const OWNER = 'owner'

/** Judges one permission for one caller. */
export function judge(permission: Permission, judging: Judging): Verdict {
  const { caller } = judging
  if (caller.kind === 'system') return ALL
  if (isExpression(permission)) return caller.kind === 'anonymous' ? SIGN_IN : picked(permission, judging)
  if (permission.includes(PUBLIC)) return ALL
  if (caller.kind === 'anonymous') return SIGN_IN
  if (permission.some((name) => name === AUTHENTICATED || caller.roles.includes(name))) return ALL
  return permission.includes(OWNER) ? owned(judging) : NONE
}

/** Whether a verdict lets a record pass; `neighbours` are what its `reach` asks for. */
export function passes(verdict: Verdict, record: Row, neighbours?: Neighbours): boolean {
  if (verdict.kind !== 'some') return verdict.kind === 'all'
  if (neighbours === undefined && verdict.reach.size > 0)
    throw new Error(
      `whether a record passes depends on its ${[...verdict.reach.keys()].join(', ')}, which were not read`,
    )
  return verdict.test(record, neighbours)
}

function owned({ caller: { id }, ownerField: field }: Judging): Verdict {
  if (field?.column === undefined || id === null) return NONE
  const { name, column } = field
  return {
    kind: 'some',
    rows: () => ({ op: 'eq', column, value: id }),
    reads: [column],
    reach: NO_REACH,
    test: (record) => record[name] === id,
  }
}

function picked(rule: Rule, { caller, fields, op, now }: Judging): Verdict {
  return {
    kind: 'some',
    rows: () => rule.rows?.({ user: caller, op, now, rowsOf: 'author' }) ?? { op: 'never' },
    reads: [...rule.fields].flatMap((name) => fields.get(name)?.column ?? []),
    reach: rule.reach,
    test: (record, neighbours) => rule.holds({ record, neighbours, user: caller, op, now }),
  }
}
