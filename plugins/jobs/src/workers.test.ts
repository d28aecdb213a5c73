import type { Store, Transaction } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { createClock } from '../../../test/kit/clock.ts'
import { createTestLog } from '../../../test/kit/log.ts'
import { createJobMetrics } from './job-metrics.ts'
import { gate } from './jobs.testkit.ts'
import { Kinds } from './kinds.ts'
import type { Lease, Leases } from './leases.ts'
import { Workers } from './workers.ts'

/** Workers over a queue in memory, whose jobs are over when `run` is. */
function workersOf(workers: number, run: (name: string) => Promise<unknown>) {
  const due: string[] = []
  const done: string[] = []
  const leases: Leases = {
    isAnyDue: async () => due.length > 0,
    claim: async (kind, limit) => due.splice(0, limit).map((name) => leaseOf(kind, name)),
    renew: async (held) => new Set(held.map(({ id }) => id)),
    release: async () => undefined,
  }
  const kinds = new Kinds()
  kinds.add({
    name: 'task',
    delaysMs: [],
    maxRunMs: 60_000,
    workers: undefined,
    open: (name) => ({ order: undefined, run: () => run(name) }),
  })
  const nothing = {} as Transaction
  const store = { transaction: (work: (of: Transaction) => Promise<unknown>) => work(nothing) } as Store
  const { logger: log } = createTestLog()
  const env = createClock()
  const outcomes = {
    complete: async (_: Transaction, { payload }: Lease) => void done.push(payload),
    retry: () => Promise.reject(new Error('nothing is tried again')),
    fail: () => Promise.reject(new Error('nothing fails')),
  } as never
  const stopping = new AbortController().signal
  const metrics = createJobMetrics(undefined, { store, env, kinds })
  const parts = { store, outcomes, metrics, log, stopping, patience: 1 }
  return { due, done, of: new Workers({ kinds, leases, env, workers, leaseMs: 30_000, parts }) }
}

const leaseOf = (kind: string, name: string): Lease => ({
  id: name,
  kind,
  token: name,
  lane: null,
  at: '',
  payload: name,
  tries: 1,
  failures: 0,
  settled: 0,
})

const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
}

describe('workers', () => {
  it('look behind the last of what was claimed ahead when more of them are free than there was left', async () => {
    const held = gate()
    const { due, done, of } = workersOf(2, async (name) => name.startsWith('held') && held.passed)
    due.push('learned')
    await of.wake('task')
    await turns()
    const ahead = Array.from({ length: 16 }, (_, at) => `ahead ${at}`)
    due.push('held 1', 'held 2', ...ahead, 'late 1', 'late 2', 'late 3')
    await of.wake('task')
    expect(due).toEqual(['late 1', 'late 2', 'late 3'])
    of.revoke(ahead.slice(1))
    held.open()
    await turns()
    expect(done.slice(1).toSorted()).toEqual(['ahead 0', 'held 1', 'held 2', 'late 1', 'late 2', 'late 3'])
  })

  it('settle what is made due by a job that ran before, though nobody tells them of it', async () => {
    const held = gate()
    const { due, done, of } = workersOf(2, async (name) => {
      if (name !== 'first') return
      await held.passed
      due.push('second')
    })
    due.push('first')
    await of.wake('task')
    await turns()
    const settled = of.settle(new AbortController().signal)
    await turns()
    held.open()
    expect(await settled).toBe(1)
    expect(done).toEqual(['first', 'second'])
  })

  it('settle when nothing is under way any more, also where looking for more has failed', async () => {
    const held = gate()
    const { due, done, of } = workersOf(2, () => held.passed)
    due.push('first')
    await of.wake('task')
    of.look = () => Promise.reject(new Error('the store is out of reach'))
    const settled = of.settle(new AbortController().signal).catch(() => done.length)
    await turns()
    held.open()
    expect(await settled).toBe(1)
  })
})
