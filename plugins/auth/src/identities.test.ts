import { CallerChanged, SYSTEM, systemEnvironment } from '@svc/kernel'
import type { Row, SelectPlan, Store, Transaction, TransactionOptions } from '@svc/store/contract'
import { expect, it } from 'vitest'
import { watchChanges } from './changes.ts'
import { createIdentities } from './identities.ts'
import type { AccessTokens } from './token.ts'

const userId = '01890a5d-ac96-774b-bcce-b302099a8057'
const sessionId = '01890a5d-ac96-774b-bcce-b302099a8058'

/** A store with one user and one session, whose answers can be held back and whose reads are counted. */
function oneUser() {
  const state = { role: 'before', version: 0, reads: 0, held: Promise.resolve() }
  const user: Row = {
    id: userId,
    username: 'ada',
    email: 'ada@example.com',
    password_hash: '',
    status: 'active',
    verified: true,
    origin: 'registered',
    created_at: '',
    last_login_at: null,
  }
  const tables: Record<string, () => readonly Row[]> = {
    svc_users: () => [user],
    svc_sessions: () => [{ user_id: userId }],
    svc_user_roles: () => [{ role: state.role }],
    svc_auth_changes: () => [{ version: state.version }],
  }
  const select = async ({ table }: SelectPlan) => {
    state.reads++
    const rows = tables[table.name]?.() ?? []
    await state.held
    return rows
  }
  const update = async () => ({ count: 1, rows: [{ version: ++state.version }] })
  const transaction = { select, update, insert: async () => 1 } as unknown as Transaction
  const store = {
    select,
    transaction: async <T>(
      work: (transaction: Transaction) => Promise<T>,
      { opening }: TransactionOptions = {},
    ) => {
      if (opening !== undefined) await opening.judge(await select(opening.plan), transaction)
      return work(transaction)
    },
  } as unknown as Store
  return { state, store }
}

async function start() {
  const { state, store } = oneUser()
  const clock = { ms: 0 }
  const env = { ...systemEnvironment, now: () => clock.ms }
  let verified = 0
  const tokens: AccessTokens = {
    sign: async () => '',
    verify: async () => {
      verified++
      return { userId, sessionId, expiresAt: 1e12, all: {} }
    },
  }
  const identities = createIdentities(store, env, tokens, await watchChanges(store, env))
  return { state, clock, identities, verified: () => verified }
}

it('asks neither the store nor the signature for a hot token', async () => {
  const { state, identities, verified } = await start()
  await identities.identify('t')
  const { reads } = state
  expect(identities.recall('t')?.roles).toEqual(['before'])
  expect([state.reads, verified()]).toEqual([reads, 1])
})

it('does not remember roles that were read while they changed', async () => {
  const { state, identities } = await start()
  let release = () => {}
  state.held = new Promise((resolve) => (release = resolve))
  const late = identities.identify('t')
  await expect.poll(() => state.reads).toBeGreaterThan(2)
  await identities.change(SYSTEM, userId, async () => void (state.role = 'after'))
  release()
  await late
  expect((await identities.identify('t')).roles).toEqual(['after'])
})

it('forgets a user also when a change fails, for it may have been done', async () => {
  const { identities } = await start()
  await identities.identify('t')
  await expect(identities.change(SYSTEM, userId, () => Promise.reject(new Error('lost')))).rejects.toThrow(
    'lost',
  )
  expect(identities.recall('t')).toBeUndefined()
})

it('reads one number each 100 ms, and callers again only when another server changed it [5.6]', async () => {
  const { state, clock, identities, verified } = await start()
  await identities.identify('t')
  await identities.change(SYSTEM, 'somebody else', async () => undefined)
  expect(identities.recall('t')).toBeDefined()

  clock.ms += 100
  expect(identities.recall('t')).toBeUndefined()
  const { reads } = state
  await Promise.all([identities.identify('t'), identities.identify('t')])
  expect(state.reads).toBe(reads)

  state.version++
  state.role = 'after'
  clock.ms += 100
  expect((await identities.identify('t')).roles).toEqual(['after'])
  expect(verified()).toBe(1)
})

it('reads the number aside before anybody has to wait for it', async () => {
  const { state, clock, identities } = await start()
  await identities.identify('t')
  const { reads } = state
  clock.ms += 60
  expect(identities.recall('t')).toBeDefined()
  expect(identities.recall('t')).toBeDefined()
  await expect.poll(() => state.reads).toBe(reads + 1)
  clock.ms += 40
  expect(identities.recall('t')).toBeDefined()
})

it('asks for a caller inside their transaction, and reads them again only where something changed', async () => {
  const { state, identities } = await start()
  const caller = await identities.identify('t')
  const write = () => identities.transaction(caller, async () => 'written')
  const { reads } = state
  expect(await write()).toBe('written')
  // The number alone, with which the transaction opens.
  expect(state.reads).toBe(reads + 1)

  state.version++
  expect(await write()).toBe('written')
  state.role = 'after'
  await expect(write()).rejects.toThrow(CallerChanged)
  expect((await identities.identify('t')).roles).toEqual(['after'])
})
