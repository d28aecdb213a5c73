import type { Account, Accounts } from '@svc/auth/contract'
import { describe, expect, it } from 'vitest'
import { namesIn, recipientsOf } from './recipients.ts'

const ADA = '0199c9a5-0000-7000-8000-00000000000a'
const BEA = '0199c9a5-0000-7000-8000-00000000000b'
const account = (id: string, email: string, roles: readonly string[]): Account => ({
  id,
  username: email.split('@')[0]!,
  email,
  status: 'active',
  verified: true,
  roles,
  origin: 'seeded',
  createdAt: '2026-03-01T12:00:00.000Z',
  lastLoginAt: null,
})
const all = [account(ADA, 'ada@example.org', ['cook']), account(BEA, 'bea@example.org', [])]
const accounts = {
  active: ({ roles = [], ids = [] }) =>
    Promise.resolve(
      all.filter((one) => ids.includes(one.id) || one.roles.some((role: string) => roles.includes(role))),
    ),
} satisfies Pick<Accounts, 'active'> as unknown as Accounts

const found = async (roles: readonly string[], values: readonly (readonly [string, number[] | null])[]) =>
  (
    await recipientsOf(
      { roles, values: values.map(([value, records]) => ({ value, records, veil: null })) },
      accounts,
    )
  ).map(({ address, account: id, records }) => [address, id, records])

describe('recipients', () => {
  it('of a batch hear of the records that name them, holders of a role of all', async () => {
    expect(
      await found(
        ['cook'],
        [
          [ADA, [0]],
          [BEA, [1, 3]],
          ['out@example.org', [2]],
          ['OUT@example.org', [0]],
        ],
      ),
    ).toEqual([
      ['ada@example.org', ADA, null],
      ['bea@example.org', BEA, [1, 3]],
      ['out@example.org', null, [0, 2]],
    ])
  })

  it('are one where an account and an address are the same, told what the account may read', async () => {
    expect(
      await found(
        [],
        [
          ['BEA@example.org', null],
          [BEA, null],
        ],
      ),
    ).toEqual([['bea@example.org', BEA, null]])
  })

  it('stand in texts and lists of them; null and empty name nobody', () => {
    expect(namesIn(['a@b', ['c@d', null], '', ' '])).toEqual(['a@b', 'c@d'])
    expect(namesIn({ a: 1 })).toEqual(['{"a":1}'])
    expect(namesIn(null)).toEqual([])
  })
})
