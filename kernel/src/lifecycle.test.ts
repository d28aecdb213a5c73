import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKernel } from './kernel.ts'
import { type Logger, silentLogger } from './log.ts'
import type { Phase } from './phase.ts'
import { definePlugin } from './plugin.ts'
import { StartupError } from './startup-error.ts'

/** A plugin that writes down what happens to it. */
const recorded = (diary: string[], name: string, phase: Phase, failing?: 'setup' | 'open' | 'close') =>
  definePlugin({
    name,
    phase,
    setup(ctx) {
      diary.push(`${name} set up`)
      ctx.onStop(() => void diary.push(`${name} stopped`))
      if (failing === 'setup') throw new Error('no disk')
      ctx.onOpen(() => {
        if (failing === 'open') throw new StartupError(name, 'the port is taken', 'Choose another port')
        diary.push(`${name} opened`)
        return () => {
          diary.push(`${name} closed`)
          if (failing === 'close') throw new Error('stuck')
        }
      })
    },
  })

const all = (diary: string[], failing: Partial<Record<string, 'setup' | 'open' | 'close'>> = {}) => [
  recorded(diary, 'rest', 'transport', failing['rest']),
  recorded(diary, 'sqlite', 'store', failing['sqlite']),
  recorded(diary, 'domain', 'domain', failing['domain']),
]

describe('the life of plugins', () => {
  it('sets up in order, opens transports last, closes them first, and stops in reverse', async () => {
    const diary: string[] = []
    const kernel = createKernel({ plugins: all(diary) })
    await kernel.start()
    await kernel.stop()
    expect(diary).toEqual([
      'rest set up', 'sqlite set up', 'domain set up',
      'sqlite opened', 'domain opened', 'rest opened',
      'rest closed', 'domain closed', 'sqlite closed',
      'domain stopped', 'sqlite stopped', 'rest stopped',
    ]) // prettier-ignore
  })

  it('sets transports up and does not open them where nothing is to be served', async () => {
    const diary: string[] = []
    const busy = {
      ...recorded(diary, 'rest', 'transport'),
      check: () => {
        throw new StartupError('rest', 'the port is taken', 'Choose another port')
      },
    }
    const kernel = createKernel({ plugins: [busy, recorded(diary, 'domain', 'domain')], serves: false })
    await kernel.start()
    expect(diary).toEqual(['rest set up', 'domain set up', 'domain opened'])
    await kernel.stop()
    expect(diary.slice(3)).toEqual(['domain closed', 'domain stopped', 'rest stopped'])
  })

  it('sets plugins up alone where none is to begin its work', async () => {
    const diary: string[] = []
    const checked = { ...recorded(diary, 'domain', 'domain'), check: () => void diary.push('checked') }
    const kernel = createKernel({ plugins: [recorded(diary, 'rest', 'transport'), checked], opens: false })
    let hasStarted = false
    void kernel.host.started.then(() => (hasStarted = true))
    await kernel.start()
    await kernel.stop()
    expect(diary).toEqual(['rest set up', 'domain set up', 'domain stopped', 'rest stopped'])
    expect(hasStarted).toBe(false)
  })

  it('checks every plugin before it sets the first one up, and tells all that they find', async () => {
    const diary: string[] = []
    const checked = (name: string, phase: Phase, fault?: string) => ({
      ...recorded(diary, name, phase),
      check() {
        diary.push(`${name} checked`)
        if (fault !== undefined) throw new StartupError(name, fault, 'Mend it')
      },
    })
    const sound = [checked('seeder', 'seeder'), checked('rest', 'transport')]
    const kernel = createKernel({ plugins: sound })
    await kernel.start()
    await kernel.stop()
    expect(diary.slice(0, 3)).toEqual(['rest checked', 'seeder checked', 'rest set up'])

    diary.length = 0
    const faulty = [checked('rest', 'transport', 'no port'), checked('seeder', 'seeder', 'no file')]
    await expect(createKernel({ plugins: faulty }).start()).rejects.toThrow(
      'start: 2 faults: rest: no port. Mend it; seeder: no file. Mend it',
    )
    expect(diary).toEqual(['rest checked', 'seeder checked'])
  })

  it('undoes what was done when a set-up fails, and names the plugin', async () => {
    const diary: string[] = []
    const kernel = createKernel({ plugins: all(diary, { domain: 'setup' }) })
    await expect(kernel.start()).rejects.toThrow('domain: no disk')
    expect(diary).toEqual([
      'rest set up',
      'sqlite set up',
      'domain set up',
      'domain stopped',
      'sqlite stopped',
      'rest stopped',
    ])
    expect(kernel.host.plugins().find(({ name }) => name === 'domain')?.status).toBe('failed')
  })

  it('closes what was opened when a later one cannot open', async () => {
    const diary: string[] = []
    const kernel = createKernel({ plugins: all(diary, { rest: 'open' }) })
    await expect(kernel.start()).rejects.toThrow('rest: the port is taken. Choose another port')
    expect(diary.slice(-5)).toEqual([
      'domain closed',
      'sqlite closed',
      'domain stopped',
      'sqlite stopped',
      'rest stopped',
    ])
  })

  it('goes on stopping where one plugin cannot', async () => {
    const diary: string[] = []
    const kernel = createKernel({ plugins: all(diary, { domain: 'close' }) })
    await kernel.start()
    await kernel.stop()
    await kernel.stop()
    expect(diary.filter((entry) => entry.endsWith('stopped'))).toHaveLength(3)
    expect(kernel.host.plugins().map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped'])
  })
})

describe('a plugin that does not end', () => {
  const told: { readonly level: string; readonly event: string; readonly fields: object }[] = []
  const tell = (level: string) => (fields: object, event: string) => void told.push({ level, event, fields })
  const log: Logger = {
    ...silentLogger,
    info: tell('info'),
    warn: tell('warn'),
    error: tell('error'),
    child: () => log,
  }
  const never = () => new Promise<never>(() => undefined)
  beforeEach(() => {
    told.length = 0
    vi.useFakeTimers()
  })
  afterEach(() => void vi.useRealTimers())

  it.each(['setup', 'onOpen'] as const)(
    'is named again and again while it starts, and left where it is once the start is to stop: %s',
    async (where) => {
      const diary: string[] = []
      const hung = definePlugin({
        name: 'hung',
        phase: 'domain',
        setup: ({ onOpen }) => (where === 'setup' ? never() : onOpen(never)),
      })
      const kernel = createKernel({ plugins: [recorded(diary, 'sqlite', 'store'), hung], log })
      const started = kernel.start().catch((error: Error) => error.message)
      await vi.advanceTimersByTimeAsync(20_000)
      const message = `still waiting for 'hung' to ${where === 'setup' ? 'set up' : 'open'}`
      expect(told).toMatchObject([
        { event: 'plugin.waited_for', fields: { plugin: 'hung', message, seconds: 10 } },
        { event: 'plugin.waited_for', fields: { plugin: 'hung', message, seconds: 20 } },
      ])
      const stopped = kernel.stop()
      await vi.advanceTimersByTimeAsync(10_000)
      await stopped
      expect(await started).toContain('hung: it took more than 10 s to')
      expect(diary.at(-1)).toBe('sqlite stopped')
    },
  )

  it('is set up to its end where that comes while the start is to stop, and nothing after it', async () => {
    const diary: string[] = []
    let end: () => void = () => undefined
    const slow = definePlugin({
      name: 'slow',
      phase: 'store',
      async setup({ onStop }) {
        await new Promise<void>((resolve) => (end = resolve))
        onStop(() => void diary.push('slow stopped'))
      },
    })
    const kernel = createKernel({ plugins: [slow, recorded(diary, 'domain', 'domain')], log })
    const started = kernel.start().catch((error: Error) => error.message)
    await vi.advanceTimersByTimeAsync(0)
    const stopped = kernel.stop()
    end()
    await stopped
    expect(await started).toContain('told to stop')
    expect(diary).toEqual(['slow stopped'])
  })

  it('has ten seconds for each thing to let go of, or as long as it says, and is named', async () => {
    const diary: string[] = []
    const drained = () => new Promise<void>((resolve) => setTimeout(resolve, 25_000))
    const hung = definePlugin({
      name: 'hung',
      phase: 'domain',
      setup({ onOpen, onStop }) {
        onStop(never)
        onOpen(() => async () => drained().then(() => void diary.push('drained')), { patienceMs: 30_000 })
      },
    })
    const kernel = createKernel({ plugins: [recorded(diary, 'sqlite', 'store'), hung], log })
    await kernel.start()
    const stopped = kernel.stop()
    await vi.advanceTimersByTimeAsync(35_000)
    await stopped
    expect(diary.slice(-3)).toEqual(['drained', 'sqlite closed', 'sqlite stopped'])
    expect(told.map(({ event }) => event)).toEqual([
      'plugin.waited_for',
      'plugin.waited_for',
      'plugin.stop_failed',
    ])
    // It has said how long it may take.
    expect(told.map(({ level }) => level)).toEqual(['info', 'info', 'error'])
  })
})
