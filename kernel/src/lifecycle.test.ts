import { describe, expect, it } from 'vitest'
import { createKernel } from './kernel.ts'
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
