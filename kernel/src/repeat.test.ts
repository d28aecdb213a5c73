import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { silentLogger } from './log.ts'
import { repeat, type Repeated } from './repeat.ts'

/** A repeated work that counts its runs, and what is logged of it. */
function start(options: Partial<Repeated> & { work?: (run: number, signal: AbortSignal) => unknown }) {
  const { work = () => undefined, ...more } = options
  const logged: string[] = []
  const log = { ...silentLogger, error: (_: object, event: string) => void logged.push(event) }
  let runs = 0
  const end = repeat((signal) => work((runs += 1), signal), {
    everyMs: 5,
    log,
    failure: 'it.failed',
    ...more,
  })
  onTestFinished(end)
  return { end, logged, runs: () => runs }
}

describe('repeat', () => {
  it('runs again and again, after a first pause of its own', async () => {
    const later = start({ firstMs: 30 })
    const atOnce = start({ firstMs: 0, everyMs: 60_000 })
    expect([later.runs(), atOnce.runs()]).toEqual([0, 1])
    await expect.poll(later.runs).toBeGreaterThan(2)
    expect(atOnce.runs()).toBe(1)
  })

  it('runs a minute after a start where the period is longer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { runs } = start({ everyMs: 3_600_000 })
    await vi.advanceTimersByTimeAsync(59_999)
    expect(runs()).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(runs()).toBe(1)
    await vi.advanceTimersByTimeAsync(3_599_999)
    expect(runs()).toBe(1)
  })

  it('runs once at a time', async () => {
    let running = 0
    const { runs } = start({
      work: async () => {
        running += 1
        expect(running).toBe(1)
        await delay(15)
        running -= 1
      },
      firstMs: 0,
      everyMs: 1,
    })
    await expect.poll(runs).toBeGreaterThan(2)
  })

  it('asks for each pause where it is told to', async () => {
    const pauses = [1, 2, 60_000]
    const asked: number[] = []
    const everyMs = () => asked[asked.push(pauses[asked.length] ?? 0) - 1] ?? 0
    const { runs } = start({ everyMs })
    await expect.poll(() => asked).toEqual([1, 2, 60_000])
    expect(runs()).toBe(2)
  })

  it('logs a run that fails, and goes on', async () => {
    const { logged, runs } = start({
      work: (run) => {
        if (run % 2 === 1) throw new Error('no')
        return Promise.reject(new Error('later'))
      },
    })
    await expect.poll(runs).toBeGreaterThan(3)
    expect(new Set(logged)).toEqual(new Set(['it.failed']))
  })

  it('logs a pause that cannot be told, and goes on', async () => {
    const { end, logged, runs } = start({
      firstMs: 0,
      everyMs: () => {
        throw new Error('nobody knows')
      },
    })
    await expect.poll(() => logged).toEqual(['it.failed'])
    await end()
    expect(runs()).toBe(1)
  })

  it('takes a pause that is longer than any timer for a long one', async () => {
    const { runs } = start({ firstMs: 0, everyMs: 2 ** 31 })
    await delay(50)
    expect(runs()).toBe(1)
  })

  it('ends once the run under way has, which is told, and says nothing of its failure', async () => {
    let ended = ''
    const { end, logged, runs } = start({
      firstMs: 0,
      work: (_, signal) =>
        delay(10_000, undefined, { signal }).finally(() => {
          ended = 'the run'
        }),
    })
    await end()
    expect([ended, runs(), logged]).toEqual(['the run', 1, []])
    await delay(20)
    expect(runs()).toBe(1)
  })
})
