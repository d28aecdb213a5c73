import { randomUUID } from 'node:crypto'
import type { Model } from '@svc/domain/contract'
import type { EventLedger, RecordEvent } from '@svc/events/contract'
import { column } from '@svc/store/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { size } from '../../../../test/kit/size.ts'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import { lineTable } from '../tables/lines.ts'
import { earOf } from './ear.ts'
import { find } from './find.ts'
import { FOUND, waitTablesOf } from './tables.ts'
import type { EventWait, Lines } from './wait.ts'

const WAITING = size('WAITING', { smoke: 10_000, whole: 100_000 })
const TIMES = 101
/** What it may take to find the one that an event is for, in milliseconds. */
const GOAL_MS = 5

const model = { name: 'shop' } as Model
const tables = waitTablesOf(model)
/** A wait whose filter says `orderId == …`. */
const wait = {
  trigger: {
    resource: { name: 'Payment', fields: new Map([['orderId', { column: column('orderId', 'uuid') }]]) },
    events: ['create'],
  },
  filter: { fixed: () => [{ field: 'orderId', value: () => null }] },
} as unknown as EventWait
const lines = { awaited: async () => [wait] } as unknown as Lines
const kind = { put: async () => true, cancel: async () => 0, inspect: async () => [], retry: async () => 0 }

const paymentOf = (orderId: string, number: number): RecordEvent => ({
  place: { batch: 2, number },
  resource: 'Payment',
  recordId: randomUUID(),
  events: ['create'],
  transition: null,
  fields: [],
  history: [],
  record: { orderId },
  previous: null,
  actor: { id: null, username: null },
  depth: 0,
  origin: null,
  at: '2026-03-01T12:00:00.000Z',
  id: null,
  action: 'created',
  requestId: null,
  link: null,
})

for (const under of STORES) {
  describe(`finding who waits for an event on ${under.name}`, () => {
    test(`finds one of ${WAITING} in less than ${GOAL_MS} ms, and nobody else`, async () => {
      const { store, stop } = await startStore(under)
      onTestFinished(stop)
      await store.ensure([...Object.values(tables), lineTable(model)])
      const orders: string[] = []
      for (let at = 0; at < WAITING; at += 1000) {
        const rows = Array.from({ length: 1000 }, () => {
          const value = randomUUID()
          orders.push(value)
          const ear = earOf('Payment', 'create', { field: 'orderId', value })
          return { line: value, turn: 1, ear, batch: 1, number: 0 }
        })
        await store.transaction((tx) => tx.insertRows({ table: tables.waits, rows }))
      }
      const ear = { model, tables, lines, ledger: {} as EventLedger }
      const times: number[] = []
      for (let at = 0; at < TIMES; at += 1) {
        const order = orders[at * Math.floor(WAITING / TIMES)]!
        const taken = { events: [paymentOf(order, at + 1)], marks: [] }
        await store.transaction(async (tx) => {
          const began = performance.now()
          await find(ear, { hear: kind, ask: kind }, taken, tx)
          times.push(performance.now() - began)
        })
      }
      const median = times.toSorted((a, b) => a - b)[Math.floor(TIMES / 2)]!
      process.stdout.write(`${under.name}: an event finds one of ${WAITING} in ${median.toFixed(2)} ms\n`)
      const found = await store.select({
        table: tables.found,
        columns: [FOUND.line],
        where: { op: 'always' },
        order: [],
      })
      expect(new Set(found.map(({ line }) => line)).size).toBe(TIMES)
      expect(median).toBeLessThan(GOAL_MS)
    })
  })
}
