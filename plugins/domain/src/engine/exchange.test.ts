import { type Action, type Actions, type Call, errors } from '@svc/kernel'
import { SchemaMoved } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { exchangeable } from './exchange.ts'
import { Gate } from './gate.ts'

const call = {} as Call

/** A read whose handler can be exchanged for another. */
function reading(first: () => unknown) {
  const gate = new Gate()
  let refreshed = 0
  let current: Action | undefined
  const actions = { find: () => current } as unknown as Actions
  const offer = (handle: () => unknown) => {
    const action = { name: 'a.get', access: ['*'], routes: ['GET /a'], handle } as Action
    current = exchangeable([action], { gate, actions, refresh: async () => void (refreshed += 1) })[0]!
    return current
  }
  const action = offer(first)
  return {
    gate,
    read: () => action.handle({}, call),
    refreshed: () => refreshed,
    /** Exchanges the definition; what is to happen meanwhile is done while the schema may be the new one. */
    exchange: (handle: () => unknown, meanwhile: () => void = () => undefined) =>
      gate.exclusively(async () => {
        gate.isChanging = true
        meanwhile()
        offer(handle)
        gate.epoch += 1
      }),
  }
}

describe('a read', () => {
  it('is answered at once, or refused, where nothing waits', () => {
    expect(reading(() => 'one').read()).toBe('one')
    const refused = errors.NOT_FOUND()
    const { read, refreshed } = reading(() => {
      throw refused
    })
    expect(read).toThrow(refused)
    expect(refreshed()).toBe(0)
  })

  it('that is answered in the middle of an exchange is answered by the new definition', async () => {
    const { read, exchange } = reading(() => 'one')
    let answer: unknown
    await exchange(
      () => 'two',
      () => (answer = read()),
    )
    expect(await answer).toBe('two')
  })

  it('that fails in the middle of an exchange is answered by the new definition', async () => {
    const { read, exchange } = reading(() => {
      throw new Error('no such column')
    })
    let answer: unknown
    await exchange(
      () => 'two',
      () => (answer = read()),
    )
    expect(await answer).toBe('two')
  })

  it('that waits longer than an exchange takes is answered by the new definition', async () => {
    let go: (value: string) => void = () => undefined
    const { read, exchange } = reading(() => new Promise((resolve) => (go = resolve)))
    const answer = read()
    await exchange(() => 'two')
    go('one')
    expect(await answer).toBe('two')
  })

  it('that finds another schema looks for the definition of it, and fails where there is none', async () => {
    const moved = new SchemaMoved('moved')
    const { read, refreshed } = reading(() => {
      throw moved
    })
    await expect(read()).rejects.toBe(moved)
    expect(refreshed()).toBe(1)
  })
})
