import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Action, defineAction } from './action.ts'
import { createActions } from './actions.ts'
import { createBus } from './bus.ts'
import { SYSTEM } from './caller.ts'
import { capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import { silentLogger } from './log.ts'
import { definePlugin } from './plugin.ts'

const act = (name: string, routes: `GET /${string}`[] = []) =>
  defineAction({ name, access: ['*'], routes, handle: () => name })

describe('the registry', () => {
  it('replaces what is mounted under a prefix in one step', () => {
    const actions = createActions()
    let changes = 0
    actions.onChange(() => changes++)
    actions.mount('svc.shop.', [act('svc.shop.a'), act('svc.shop.b')])
    actions.mount('svc.shop.', [act('svc.shop.b'), act('svc.shop.c')])
    expect(actions.list().map(({ name }) => name)).toEqual(['svc.shop.b', 'svc.shop.c'])
    expect(changes).toBe(2)
  })

  it('knows a rest of a path from a parameter, and refuses what stands behind one', () => {
    const actions = createActions()
    actions.add(act('a', ['GET /x/*path']), act('b', ['GET /x/:id']), act('c', ['GET /x/:id/*rest']))
    expect(() => actions.add(act('d', ['GET /x/*other']))).toThrow(/claimed by 'a' and by 'd'/)
    expect(() => actions.add(act('d', ['GET /y/*path/z']))).toThrow(/has something behind '\*path'/)
    expect(() => actions.add(act('d', ['GET /y/*']))).toThrow(/a parameter without a name/)
    expect(() => actions.add(act('d', ['GET /y/:a/*a']))).toThrow(/two parameters named 'a'/)
  })

  it('refuses what is no route', () => {
    for (const route of ['get /x', 'HEAD /x', 'GET x', '/x', 'GET  /x', 5])
      expect(() => createActions().add(act('a', [route as 'GET /x'])), String(route)).toThrow(/is no route/)
  })

  it('refuses an action that does not say who may run it: a role is in a list', () => {
    const actions = createActions()
    for (const access of ['superadmin', '*', undefined, null, {}])
      expect(() => actions.add({ ...act('a'), access } as unknown as Action)).toThrow(/'a' needs an 'access'/)
    actions.add({ ...act('a'), access: [] }, { ...act('b'), access: 'record' })
  })

  it('refuses a taken name and a taken route, and keeps what it had', () => {
    const actions = createActions()
    actions.add(act('a', ['GET /x/:id']))
    expect(() => actions.add(act('a'))).toThrow("'a' is registered twice")
    expect(() => actions.mount('svc.', [act('svc.b', ['GET /x/:other'])])).toThrow(
      /claimed by 'a' and by 'svc.b'/,
    )
    expect(() => actions.mount('svc.', [act('other')])).toThrow(/is not named so/)
    expect(actions.list()).toHaveLength(1)
  })
})

describe('the bus', () => {
  it('tells listeners of a name and of a prefix', async () => {
    const bus = createBus(silentLogger)
    const heard: string[] = []
    const off = bus.on('svc.shop.*', (_, name) => void heard.push(name))
    bus.on('svc.shop.order.created', () => void heard.push('exact'))
    await bus.invoke('svc.shop.order.created', {})
    off()
    await bus.invoke('svc.shop.order.created', {})
    expect(heard).toEqual(['exact', 'svc.shop.order.created', 'exact'])
  })

  it.each(['x', '*'])('ends one registration at a time, of one listener for %s too', async (name) => {
    const bus = createBus(silentLogger)
    let heard = 0
    const listener = () => void (heard += 1)
    const off = bus.on(name, listener)
    bus.on(name, listener)
    await bus.invoke('x', {})
    expect(heard).toBe(2)
    off()
    off()
    await bus.invoke('x', {})
    expect(heard).toBe(3)
  })

  it('knows of which names anybody hears', () => {
    const bus = createBus(silentLogger)
    const off = bus.on('svc.shop.*', () => undefined)
    bus.on('request.completed', () => undefined)
    const asked = ['svc.shop.order.created', 'svc.club.order.created', 'request.completed', 'request.c']
    expect(asked.map((name) => bus.hears(name))).toEqual([true, false, true, false])
    off()
    expect(bus.hears('svc.shop.order.created')).toBe(false)
  })

  it('answers what the listeners of an awaited event return, in order', async () => {
    const bus = createBus(silentLogger)
    bus.on('x', async () => 'later')
    bus.on('x', () => undefined)
    expect(await bus.invoke('x', 1)).toEqual(['later', undefined])
    expect(await bus.invoke('y', 1)).toEqual([])
  })

  it('logs the failure of a listener that nobody waits for, and goes on', async () => {
    const logged: string[] = []
    const bus = createBus({ ...silentLogger, error: (_, event) => void logged.push(event) })
    bus.on('x', () => {
      throw new Error('no')
    })
    const heard = new Promise((resolve) => bus.on('x', resolve))
    bus.emit('x', 1)
    expect(await heard).toBe(1)
    expect(logged).toEqual(['bus.listener_failed'])
    await expect(bus.invoke('x', 1)).rejects.toThrow('no')
  })
})

describe('a kernel', () => {
  const Greeter = capability<(name: string) => string>('greeter')
  const greeter = definePlugin({
    name: 'greeter',
    phase: 'store',
    config: z.strictObject({
      word: z.string().default('Hello'),
      who: z
        .union([z.string(), z.strictObject({ name: z.string().optional() }), z.literal(false)])
        .optional(),
      nested: z.strictObject({ depth: z.number().describe('How deep it goes') }).optional(),
    }),
    provides: Greeter,
    setup:
      ({ config }) =>
      (name: string) =>
        `${config.word}, ${name}`,
  })

  it('hands services and parsed configuration to plugins and to its embedder', async () => {
    const guest = definePlugin({
      name: 'guest',
      phase: 'domain',
      requires: { greet: Greeter },
      setup: ({ actions, greet }) =>
        actions.add(defineAction({ name: 'greet', access: [], handle: () => greet('you') })),
    })
    const kernel = createKernel({ plugins: [guest, greeter], config: { greeter: { word: 'Hi' } } })
    await kernel.start()
    expect(await kernel.callAs(SYSTEM)('greet', {})).toBe('Hi, you')
    expect(kernel.get(Greeter)('me')).toBe('Hi, me')
  })

  it('names the plugin whose set-up returns nothing of what it provides', async () => {
    const empty = definePlugin({ name: 'empty', phase: 'store', provides: Greeter, setup: () => undefined! })
    const kernel = createKernel({ plugins: [empty] })
    await expect(kernel.start()).rejects.toThrow("empty: it provides 'greeter', and its set-up has returned")
  })

  it('tells who writes a key into an empty section that there are none', () => {
    const bare = definePlugin({ name: 'bare', phase: 'domain', config: z.strictObject({}), setup: () => {} })
    expect(() => createKernel({ plugins: [bare], config: { bare: { size: 1 } } })).toThrow(
      "bare: unknown key 'bare.size' (there are none)",
    )
  })

  it.each([
    [{ greter: {} }, "configuration: unknown section 'greter' (did you mean 'greeter'?)"],
    [{ other: {} }, "configuration: unknown section 'other' (there are greeter)"],
    [{ greeter: { wrd: 'x' } }, "greeter: unknown key 'greeter.wrd' (did you mean 'word'?)"],
    [{ greeter: { nested: { dept: 1 } } }, "unknown key 'greeter.nested.dept' (did you mean 'depth'?)"],
    [{ greeter: { word: 5 } }, "greeter: 'greeter.word' must be text, not a whole number"],
    [{ greeter: { nested: {} } }, "greeter: 'greeter.nested.depth' is missing (How deep it goes)"],
    [{ greeter: { who: 5 } }, "greeter: 'greeter.who' must be text or a map or false, not a whole number"],
    [{ greeter: { who: { nam: 'x' } } }, "unknown key 'greeter.who.nam' (did you mean 'name'?)"],
    [{ greeter: { who: true } }, "greeter: 'greeter.who' must be text or a map or false, not true"],
    [{ greeter: 5 }, "greeter: 'greeter' must be a map, not a whole number"],
  ])('refuses the configuration %j before anything starts', (config, message) => {
    expect(() => createKernel({ plugins: [greeter], config })).toThrow(message)
  })

  it('tells everything that is wrong with a configuration at once, and repeats no value', () => {
    const config = {
      greter: {},
      greeter: { word: { secret: 's3cret' }, wrd: 1, nested: { depth: 's3cret' } },
    }
    expect(() => createKernel({ plugins: [greeter], config })).toThrow(
      "configuration: 4 faults: unknown section 'greter' (did you mean 'greeter'?); " +
        "'greeter.word' must be text, not a map; 'greeter.nested.depth' must be a number, not text; " +
        "unknown key 'greeter.wrd' (did you mean 'word'?). Correct the configuration file",
    )
  })

  it('asks every probe and says which is out of reach', async () => {
    const probed = definePlugin({
      name: 'probed',
      phase: 'store',
      setup(ctx) {
        ctx.probe('fine', async () => undefined)
        ctx.probe('gone', async () => {
          throw new Error('connection refused')
        })
      },
    })
    const kernel = createKernel({ plugins: [probed] })
    await kernel.start()
    expect(await kernel.host.probe()).toEqual([
      { name: 'fine', ok: true },
      { name: 'gone', ok: false, error: 'connection refused' },
    ])
  })

  it('lets a listener that fails spoil no answer', async () => {
    const kernel = createKernel({ plugins: [] })
    await expect(kernel.callAs(SYSTEM)('nothing', {})).rejects.toThrow("No action is named 'nothing'")
  })
})
