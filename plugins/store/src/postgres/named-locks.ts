import type { Call } from '../compile/compiler.ts'
import { plain } from './run.ts'

/** The first half of the numbers of these locks: it means nothing, and is the same on every server. */
const FIRST_HALF = 730_265_196

const SHARED = plain(`select pg_advisory_xact_lock_shared(${FIRST_HALF}, hashtext($1))`, 'lock shared')
const SHARED_ALL = plain(
  `select pg_advisory_xact_lock_shared(${FIRST_HALF}, hashtext(name)) from unnest($1::text[]) as name`,
  'locks shared',
)
const EXCLUSIVE = plain(`select pg_advisory_xact_lock(${FIRST_HALF}, hashtext($1))`, 'lock exclusive')

/** Holds a lock with others until the transaction ends, where it has a name. */
export const lockShared = (name: string | undefined): readonly Call[] =>
  name === undefined ? [] : [{ ...SHARED, values: [name] }]

/** Holds locks with others until the transaction ends. */
export const lockAllShared = (names: readonly string[]): readonly Call[] =>
  names.length === 0 ? [] : [{ ...SHARED_ALL, values: [names] }]

/** Holds a lock alone until the transaction ends. */
export const lockExclusive = (name: string): Call => ({ ...EXCLUSIVE, values: [name] })
