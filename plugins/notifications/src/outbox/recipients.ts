import { type Account, type Accounts, callerOf } from '@svc/auth/contract'
import { ANONYMOUS, type Caller } from '@svc/kernel'
import type { Value } from '@svc/store/contract'

/** The most recipients of one notification. */
export const MAX_RECIPIENTS = 1000
/** The most characters that an entry keeps of an address. */
const MAX_SHOWN = 320

/** What recipients were named by when the notification was raised. */
export interface Named {
  readonly roles: readonly string[]
  /** What the fields held, and the places of the records of a batch in which it stood; null: everything. */
  readonly values: readonly NamedValue[]
}

export interface NamedValue {
  readonly value: string
  readonly records: readonly number[] | null
  /** What it is made of, where not everybody may be told it. */
  readonly veil: Value
}

/** One address, and with whose eyes its messages are written. */
export interface Recipient {
  readonly address: string
  /** The id of the account that it belongs to; null: a bare address. */
  readonly account: string | null
  readonly reader: Caller
  /** The places of the records of a batch that it hears of; null: all. */
  readonly records: readonly number[] | null
  /** What the address is made of, where not everybody may be told it. */
  readonly veil: Value
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Everybody whom a notification reaches now, each address once; at most one more than is allowed. */
export async function recipientsOf(
  { roles, values }: Named,
  accounts: Accounts | undefined,
): Promise<readonly Recipient[]> {
  const ids = values.filter(({ value }) => UUID.test(value)).map(({ value }) => value.toLowerCase())
  const isAnyone = roles.length > 0 || ids.length > 0
  const found = isAnyone ? ((await accounts?.active({ roles, ids }, MAX_RECIPIENTS + 1)) ?? []) : []
  const byAddress = new Map<string, Recipient>()
  const add = (recipient: Recipient) => {
    const key = recipient.address.toLowerCase()
    const other = byAddress.get(key)
    byAddress.set(
      key,
      other === undefined
        ? recipient
        : { ...other, records: union(other, recipient), veil: other.veil && recipient.veil },
    )
  }
  const isHolder = ({ roles: held }: Account) => held.some((role) => roles.includes(role))
  for (const account of found) {
    const named = values.filter(({ value }) => value.toLowerCase() === account.id)
    const records = isHolder(account) ? null : named.map(({ records: own }) => own).reduce(joined, [])
    const isOpen = isHolder(account) || named.some((one) => one.veil === null)
    const veil = isOpen ? null : (named[0]?.veil ?? null)
    add({ address: account.email, account: account.id, reader: callerOf(account), records, veil })
  }
  for (const { value, records, veil } of values)
    if (!UUID.test(value))
      add({ address: value.slice(0, MAX_SHOWN), account: null, reader: ANONYMOUS, records, veil })
  return [...byAddress.values()].slice(0, MAX_RECIPIENTS + 1)
}

type Records = Recipient['records']

const union = (one: Recipient, other: Recipient): Records => joined(one.records, other.records)

const joined = (one: Records, other: Records): Records =>
  one === null || other === null ? null : [...new Set([...one, ...other])].sort((a, b) => a - b)

/** The addresses, ids and lists of them in a value of a field, as texts. */
export function namesIn(value: Value): readonly string[] {
  if (value === null || value === '') return []
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  return [JSON.stringify(value)]
}
