import { type Action, type Actions, type Call, errors, type Route } from '@svc/kernel'
import { SchemaMoved } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { exchangeable } from './exchange.ts'
import { Gate } from './gate.ts'

const call = {} as Call

const reading = (first: () => unknown) => exchanging('GET /a', first)
const writing = (first: () => unknown) => exchanging('POST /a', first)

/** An action whose handler can be exchanged for another. */
function exchanging(route: Route, first: () => unknown) {
  const gate = new Gate()
  let refreshed = 0
  let current: Action | undefined
  const actions = { find: () => current } as unknown as Actions
  const offer = (handle: () => unknown) => {
    const action = { name: 'a.b', access: ['*'], routes: [route], handle } as Action
    current = exchangeable([action], { gate, actions, refresh: async () => void (refreshed += 1) })[0]!
    return current
  }
  const action = offer(first)
  return {
    gate,
    ask: () => action.handle({}, call),
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
    expect(reading(() => 'one').ask()).toBe('one')
    const refused = errors.NOT_FOUND()
    const { ask, refreshed } = reading(() => {
      throw refused
    })
    expect(ask).toThrow(refused)
    expect(refreshed()).toBe(0)
  })

  it.each([
    ['is answered', () => 'one'],
    ['fails', () => fail(new Error('no such column'))],
  ])('that %s in the middle of an exchange is answered by the new definition', async (_, first) => {
    const { ask, exchange } = reading(first)
    let answer: unknown
    await exchange(
      () => 'two',
      () => (answer = ask()),
    )
    expect(await answer).toBe('two')
  })

  it('that waits longer than an exchange takes is answered by the new definition', async () => {
    let go: (value: string) => void = () => undefined
    const { ask, exchange } = reading(() => new Promise((resolve) => (go = resolve)))
    const answer = ask()
    await exchange(() => 'two')
    go('one')
    expect(await answer).toBe('two')
  })

  it('that finds another schema looks for the definition of it, and fails where there is none', async () => {
    const moved = new SchemaMoved('moved')
    const { ask, refreshed } = reading(() => {
      throw moved
    })
    await expect(ask()).rejects.toBe(moved)
    expect(refreshed()).toBe(1)
  })
})

describe('a write', () => {
  it('is refused at once where nothing waits, and leaves the gate', async () => {
    const refused = errors.NOT_FOUND()
    const { ask, exchange } = writing(() => {
      throw refused
    })
    expect(ask).toThrow(refused)
    await exchange(() => 'two')
  })

  it('keeps the definition from being exchanged until it is done', async () => {
    let go: (value: string) => void = () => undefined
    const { ask, exchange } = writing(() => new Promise((resolve) => (go = resolve)))
    const answer = ask()
    let isExchanged = false
    const exchanged = exchange(() => 'two').then(() => (isExchanged = true))
    await new Promise(setImmediate)
    expect(isExchanged).toBe(false)
    go('one')
    expect(await answer).toBe('one')
    await exchanged
  })

  it('that comes in the middle of an exchange is one of the new definition', async () => {
    let asked = 0
    const { ask, exchange } = writing(() => (asked += 1))
    let answer: unknown
    await exchange(
      () => 'two',
      () => (answer = ask()),
    )
    expect([await answer, asked]).toEqual(['two', 0])
  })

  it.each([
    ['at once', (error: Error) => () => fail(error)],
    ['later', (error: Error) => async () => fail(error)],
  ])(
    'that finds another schema %s looks for its definition, and fails where there is none',
    async (_, made) => {
      const moved = new SchemaMoved('moved')
      const { ask, refreshed, exchange } = writing(made(moved))
      await expect(ask()).rejects.toBe(moved)
      expect(refreshed()).toBe(1)
      await exchange(() => 'two')
    },
  )
})

const fail = (error: Error): never => {
  throw error
}
