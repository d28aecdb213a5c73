import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { LIMITS } from './limits.ts'
import { loadScript } from './load.ts'
import { type ScriptKernel, startScripts } from './scripting.testkit.ts'

const running: ScriptKernel[] = []
const start = async (...args: Parameters<typeof startScripts>) => {
  const started = await startScripts(...args)
  running.push(started)
  return started
}
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

const answering = (value: unknown) => `on('svc.x.y.op', () => (${JSON.stringify(value)}))`

describe('at the start', () => {
  it('every *.js file is loaded, in the order of names; other files and folders are not', async () => {
    const { ask, logs } = await start({
      'b.js': answering('b'),
      'a.js': answering('a'),
      'c.txt': 'not a script',
      '.hidden.js': 'nor is )(',
    })
    expect(await ask('svc.x.y.op')).toEqual(['a', 'b'])
    expect(logs.filter(({ event }) => event === 'script.loaded').length).toBe(2)
  })

  it.each([
    ["on('svc.a', () => 1)\nlet = ;", 'bad.js: line 2: SyntaxError'],
    ["\n\nthrow new TypeError('no way')", 'bad.js: line 3: TypeError: no way'],
    ['throw 5', 'bad.js: 5 was thrown'],
    ['throw null', 'bad.js: null was thrown'],
    ['while (true) {}', 'bad.js: it takes too long to load'],
    ['const a = []; while (true) a.push(new Array(1e5).fill(1))', /it takes too (much memory|long) to load/],
    ["on('created', () => 1)", 'bad.js: line 1: Error: on(name, handler): a name is that of an event'],
    ["on('svc.*.created', () => 1)", 'a name is that of an event'],
    ["on('svc.a')", 'the handler is no function'],
    ["on('svc.a', {As: 'x'}, () => 1)", 'the options name a user'],
    ["on('svc.a', {as: 5}, () => 1)", 'the options name a user'],
    ["import fs from 'node:fs'", 'bad.js: line 1: SyntaxError'],
    ["for (let i = 0; i < 1001; i++) on('svc.a', () => 1)", 'at most 1000 handlers'],
  ])('%s ends it and says where', async (text, message) => {
    const failing = startScripts({ 'bad.js': text, 'good.js': answering(1) }, { timeout_ms: 300 })
    await expect(failing).rejects.toThrow(message)
  })

  it('a thousand handlers are heard in their order', async () => {
    const { ask } = await start({ 'many.js': "for (let i = 0; i < 1000; i++) on('svc.a', () => i)" })
    expect(await ask('svc.a')).toEqual(Array.from({ length: LIMITS.handlers }, (_, i) => i))
  })

  it('a folder that is not there ends it', async () => {
    await expect(startScripts({}, { dir: '/nowhere/scripts' })).rejects.toThrow(
      'the folder /nowhere/scripts cannot be read',
    )
  })

  it('without a folder nothing runs', async () => {
    const { ask, logs } = await start({ 'a.js': answering(1) }, { dir: undefined })
    expect([await ask('svc.x.y.op'), logs]).toEqual([[], []])
  })

  it('an unknown key of the configuration ends it', async () => {
    await expect(startScripts({}, { timeout: 5 })).rejects.toThrow("unknown key 'scripting.timeout'")
  })
})

describe('while the server runs', () => {
  it('a changed script takes the place of the old one, from the next event on', async () => {
    const { ask, write } = await start({ 'a.js': answering(1) })
    write('a.js', answering(2))
    await expect.poll(() => ask('svc.x.y.op')).toEqual([2])
  })

  it('one that does not parse keeps the old one, and is logged once', async () => {
    const { ask, write, logs } = await start({ 'a.js': answering(1) })
    write('a.js', 'on(')
    const refused = () => logs.filter(({ event }) => event === 'script.refused')
    await expect.poll(refused).toHaveLength(1)
    expect(refused()).toMatchObject([{ level: 'error', script: 'a.js', kept: true }])
    expect(refused()[0]!['reason']).toMatch(/^line 1: SyntaxError/)
    write('b.js', answering('b'))
    await expect.poll(() => ask('svc.x.y.op')).toEqual([1, 'b'])
    expect(refused()).toHaveLength(1)
    write('a.js', answering(3))
    await expect.poll(() => ask('svc.x.y.op')).toEqual([3, 'b'])
  })

  it('scripts come and go with their files, and keep the order of names', async () => {
    const { ask, write, remove } = await start({ 'b.js': answering('b') })
    write('a.js', answering('a'))
    await expect.poll(() => ask('svc.x.y.op')).toEqual(['a', 'b'])
    remove('b.js')
    await expect.poll(() => ask('svc.x.y.op')).toEqual(['a'])
  })

  it('a script that is replaced finishes what it has begun', async () => {
    const slow =
      "on('svc.x.y.op', async (event, { call }) => { await call('again', { name: 'svc.pause' }); return 'old' })"
    const { ask, write, kernel, logs } = await start({ 'a.js': slow })
    let proceed = () => undefined as void
    kernel.bus.on('svc.pause', () => new Promise<void>((resolve) => (proceed = resolve)))
    const pending = ask('svc.x.y.op')
    write('a.js', answering('new'))
    await expect.poll(() => logs.filter(({ event }) => event === 'script.loaded')).toHaveLength(2)
    proceed()
    expect(await pending).toEqual(['old'])
    expect(await ask('svc.x.y.op')).toEqual(['new'])
  })

  it('the state of a script lasts from event to event, and is gone with its sandbox', async () => {
    const text = "let n = 0\non('svc.n', () => ++n)\non('svc.loop', () => { while (true) {} })"
    const { ask, logs } = await start({ 'a.js': text }, { timeout_ms: 200 })
    expect([await ask('svc.n'), await ask('svc.n')]).toEqual([[1], [2]])
    await expect(ask('svc.loop')).rejects.toThrow('A script took too long and was ended')
    expect(await ask('svc.n')).toEqual([1])
    expect(logs.filter(({ event }) => event === 'script.ended')).toMatchObject([
      { level: 'error', script: 'a.js', handler: 'svc.loop', reason: 'time' },
    ])
  })

  it('memory that a script never lets go ends it, and it begins anew', async () => {
    const text =
      "const kept = []\non('svc.a', () => { kept.push(new Uint8Array(1024 * 1024)); return kept.length })"
    const { ask, logs } = await start({ 'a.js': text }, { memory_mb: 20 })
    const outcomes: unknown[] = []
    while (outcomes.length < 40 && outcomes.at(-1) !== 'refused')
      outcomes.push((await ask('svc.a').catch(() => ['refused']))[0])
    expect(outcomes.at(-1)).toBe('refused')
    expect(await ask('svc.a')).toEqual([1])
    expect(logs.find(({ event }) => event === 'script.ended')).toMatchObject({ reason: 'memory' })
  })

  it('a script that registers other handlers than before is not used again', async () => {
    const text =
      "if (Math.random() < 2) on('svc.a' + Math.random(), () => 1)\non('svc.loop', () => { while (true) {} })"
    const { ask, logs } = await start({ 'a.js': text }, { timeout_ms: 200 })
    await expect(ask('svc.loop')).rejects.toThrow()
    await expect(ask('svc.loop')).rejects.toThrow('A script broke its sandbox')
    expect(logs.some(({ event }) => event === 'script.not_restarted')).toBe(true)
  })
})

describe('the log', () => {
  it('has what scripts say, with the script and the handler', async () => {
    const text =
      "on('svc.a', (event, { log }) => { log.info('seen', 1, { two: 2 }, [3], new Error('four'), undefined); log.warn('w'); log.error('e') })"
    const { ask, logs } = await start({ 'a.js': text })
    await ask('svc.a')
    const about = { event: 'script.says', plugin: 'scripting', script: 'a.js', handler: 'svc.a' }
    expect(logs.filter(({ event }) => event === 'script.says')).toEqual([
      { ...about, level: 'info', message: 'seen 1 {"two":2} [3] Error: four undefined' },
      { ...about, level: 'warn', message: 'w' },
      { ...about, level: 'error', message: 'e' },
    ])
  })

  it('takes messages of bounded length and number', async () => {
    const text =
      "on('svc.a', (event, { log }) => { for (let i = 0; i < 150; i++) log.info('x'.repeat(3000)) })"
    const { ask, logs } = await start({ 'a.js': text })
    await ask('svc.a')
    const said = logs.filter(({ event }) => event === 'script.says')
    expect([said.length, String(said[0]!['message']).length]).toEqual([LIMITS.logs, LIMITS.message])
    expect(logs.find(({ event }) => event === 'script.says_too_much')).toMatchObject({ messages: 50 })
  })

  it('alone has what goes wrong inside an action', async () => {
    const text =
      "on('svc.a', (event, { call }) => call('fail').catch((error) => [error.error_code, error.message]))"
    const { ask, logs } = await start({ 'a.js': text })
    expect(await ask('svc.a')).toEqual([['INTERNAL_ERROR', 'Something went wrong inside the server']])
    expect(logs.some(({ event, action }) => event === 'script.call_failed' && action === 'fail')).toBe(true)
  })

  it('has the failure of a handler that nobody waits for', async () => {
    const { kernel, logs } = await start({ 'a.js': "on('svc.a', () => { throw new Error('oops') })" })
    kernel.bus.emit('svc.a', {})
    await expect
      .poll(() => logs.filter(({ event }) => event === 'svc.a').length + logs.length)
      .toBeGreaterThan(1)
    expect(logs.at(-1)).toMatchObject({ level: 'error', err: { code: 'SCRIPT_REFUSED', message: 'oops' } })
  })
})

describe('handlers', () => {
  it('hear nothing but what begins with svc., under a bare star too', async () => {
    const { ask } = await start({ 'a.js': "on('*', ({ name }) => name)" })
    expect([await ask('svc.a'), await ask('request.completed'), await ask('svcx')]).toEqual([
      ['svc.a'],
      [],
      [],
    ])
  })

  it('that wait for one another through actions do not wait for ever, however many there are', async () => {
    const text = `
      on('svc.outer', (event, { call }) => call('again', { name: 'svc.inner' }))
      on('svc.inner', () => 'inner')`
    const { ask } = await start({ 'a.js': text })
    const all = await Promise.all(Array.from({ length: LIMITS.begun * 3 }, () => ask('svc.outer')))
    expect(all).toEqual(Array(LIMITS.begun * 3).fill(['inner']))
  })

  it('of two scripts that set each other off stop at a bounded depth, and the log says so', async () => {
    const ping = (from: string, to: string) =>
      `on('svc.${from}', async (event, { call }) => { await call('told', '${from}'.length ? { from: '${from}' } : {}); await call('emit', { name: 'svc.${to}' }) })`
    const { kernel, told, logs } = await start({ 'a.js': ping('ping', 'pong'), 'b.js': ping('pong', 'ping') })
    kernel.bus.emit('svc.ping', {})
    await expect.poll(() => told.length).toBe(LIMITS.depth)
    const deep = () =>
      logs.filter(({ err }) => (err as { code?: string } | undefined)?.code === 'SCRIPT_TOO_DEEP')
    await expect.poll(deep).toHaveLength(1)
    expect(told).toHaveLength(LIMITS.depth)
  })

  it('that set off more and more stop at a bounded number', async () => {
    const text = `on('svc.more', async (event, { call }) => {
      await call('told', {})
      await Promise.all(Array.from({ length: 10 }, () => call('emit', { name: 'svc.more' })))
    })`
    const { kernel, told, logs } = await start({ 'a.js': text }, { timeout_ms: 5000 })
    kernel.bus.emit('svc.more', {})
    const refused = () =>
      logs.filter(({ err }) =>
        /SCRIPT_(TOO_DEEP|BUSY)/.test(String((err as { code?: string } | undefined)?.code)),
      )
    await expect.poll(() => refused().length, { timeout: 20_000 }).toBeGreaterThan(0)
    expect(told.length).toBeLessThanOrEqual(LIMITS.runs)
  })

  it('wait in a queue of bounded length', async () => {
    const { ask } = await start({ 'a.js': "on('svc.a', () => 1)" })
    const all = Array.from({ length: LIMITS.waiting + LIMITS.begun + 50 }, () =>
      ask('svc.a').then(String, (error: { code: string }) => error.code),
    )
    const outcomes = await Promise.all(all)
    expect(outcomes.filter((one) => one === 'SCRIPT_BUSY').length).toBeGreaterThan(0)
    expect(outcomes.filter((one) => one === '1').length).toBeGreaterThanOrEqual(LIMITS.waiting)
  })

  it('call a bounded number of actions with a bounded input in one go', async () => {
    const text = `
      const codes = async (calls) =>
        (await Promise.allSettled(calls)).flatMap(({ reason }) => (reason ? [reason.error_code ?? reason.message] : []))
      on('svc.many', (event, { call }) => codes(Array.from({ length: ${LIMITS.called + 5} }, () => call('told'))))
      on('svc.large', (event, { call }) =>
        codes(Array.from({ length: 10 }, () => call('told', { text: 'x'.repeat(1000000) }))))`
    const { ask } = await start({ 'a.js': text }, { timeout_ms: 10_000 })
    const [many] = (await ask('svc.many')) as [string[]]
    expect(many.filter((code) => code === 'TOO_MANY_CALLS')).toHaveLength(LIMITS.called - LIMITS.calls)
    expect(many.filter((code) => code.startsWith('at most'))).toHaveLength(5)
    expect((await ask('svc.large'))[0]).toEqual([
      expect.stringContaining('at most'),
      expect.stringContaining('at most'),
    ])
  })

  it('that are under way when the server stops are waited for', async () => {
    const text =
      "on('svc.a', async (event, { call }) => { await call('told', {}); await call('told', {}); return 'done' })"
    const { ask, kernel, told } = await start({ 'a.js': text })
    const pending = ask('svc.a')
    await kernel.stop()
    expect([await pending, told.length]).toEqual([['done'], 2])
  })
})

it('a folder named like a script is none, and too many scripts end the start', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-scripts-'))
  mkdirSync(join(dir, 'folder.js'))
  const { logs } = await start({}, { dir })
  expect(logs).toEqual([])
  const files = Object.fromEntries(Array.from({ length: LIMITS.scripts + 1 }, (_, i) => [`${i}.js`, '']))
  await expect(startScripts(files)).rejects.toThrow(`holds ${LIMITS.scripts + 1} scripts`)
  rmSync(dir, { recursive: true })
})

describe('on a machine that has more to do than processors', () => {
  const WORK = 'let sum = 0; for (let i = 0; i < 1_000_000; i++) sum += i % 7;'

  /** The processor time that a stretch of this work takes here, in milliseconds. */
  async function cost(): Promise<number> {
    const options = { file: 'work.js', source: WORK, memoryMb: 32, timeoutMs: 60_000 }
    const { sandbox, report } = await loadScript(options)
    await sandbox.end()
    return report.used
  }

  /** Keeps every processor busy several times over for as long as the test runs. */
  function keepBusy(): void {
    const burners = Array.from({ length: availableParallelism() * 3 }, () =>
      spawn(process.execPath, ['--eval', 'for (;;) {}'], { stdio: 'ignore' }),
    )
    onTestFinished(() => burners.forEach((burner) => burner.kill('SIGKILL')))
  }

  it('a script that takes no more processor time than it may is loaded, and its handlers come to their end', async () => {
    const timeout_ms = Math.ceil(2.5 * (await cost()))
    keepBusy()
    const text = `${WORK}\non('svc.a', () => { ${WORK} return sum })`
    const { ask, logs } = await start({ 'a.js': text }, { timeout_ms })
    expect(await ask('svc.a')).toEqual([expect.any(Number)])
    expect(logs.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('one that takes more is ended all the same', async () => {
    keepBusy()
    const { ask } = await start({ 'a.js': "on('svc.a', () => { for (;;) {} })" }, { timeout_ms: 100 })
    await expect(ask('svc.a')).rejects.toThrow('A script took too long and was ended')
  })
})
