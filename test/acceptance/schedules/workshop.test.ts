import { readFileSync } from 'node:fs'
import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { DAY, HOUR, PATIENT } from './shed.ts'

const EXAMPLE = new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url)
const API = '/api/v1/workshop'

for (const store of STORES) {
  describe(`the schedules of the workshop on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: readFileSync(EXAMPLE, 'utf8') })
    let manager: TestAccount
    let supplierId: string
    let number = 0
    beforeAll(async () => {
      manager = await server().account('manager', ['manager'])
      supplierId = (
        await create('supplier', { name: 'Spokes & Sons', email: 's@example.org', country: 'GB' })
      ).id
    })
    const create = async (resource: string, data: object) =>
      (await server().kernel.callAs(SYSTEM)(`svc.workshop.${resource}.create`, { data })) as { id: string }
    const pass = async (ms: number) => {
      server().clock.advance(ms)
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
    }
    const day = (days: number) => new Date(server().clock.now() + days * DAY).toISOString().slice(0, 10)
    const get = async (path: string) => {
      const { status, body } = await server().request('GET', `${API}${path}`, { token: server().admin })
      expect([path, status]).toEqual([path, 200])
      return body.data
    }
    const firings = async (schedule: string) =>
      (await get(`/schedules/firings?schedule=${schedule}&limit=500`)).items
    const told = async (source: string) =>
      (await get(`/notifications?source=${source}&channel=email&limit=500`)).items.toReversed()

    /** A purchase order that a manager has sent. */
    const ordered = async (values: object) => {
      number += 1
      const order = {
        number: `PO-2026-${String(number).padStart(3, '0')}`,
        supplierId,
        total: 250,
        ...values,
      }
      const { id } = await create('purchase-order', order)
      const path = `${API}/purchase-orders/${id}/transitions/order`
      const { status, body } = await server().request('POST', path, { token: manager.token, body: {} })
      expect([status, body.error_message]).toEqual([200, undefined])
      return id
    }

    it('remind of a delivery in tiers: a week before, the day before, and when it is late', async () => {
      const expectedOn = day(10)
      const id = await ordered({ expectedOn })
      const small = await ordered({ expectedOn, total: 20 })
      const { items, timezone } = await get('/schedules/deliveryReminders/next')
      expect(timezone).toBe('Europe/London')
      expect(
        items
          .filter(({ recordId }: { recordId: string }) => recordId === id)
          .map(({ at, tag }: { at: string; tag: string }) => [at, tag]),
      ).toEqual([
        [`${day(3)}T08:00:00.000Z`, 'next-week'],
        [`${day(9)}T08:00:00.000Z`, 'tomorrow'],
        [`${day(11)}T08:00:00.000Z`, 'late'],
      ])
      await pass(4 * DAY)
      const before = await firings('deliveryReminders')
      expect(
        before.map(({ recordId, tag, status }: Record<string, string>) => [recordId, tag, status]).toSorted(),
      ).toEqual([[id, 'next-week', 'fired'] as const, [small, 'next-week', 'skipped'] as const].toSorted())
      const received = `${API}/purchase-orders/${small}/transitions/receive`
      await server().request('POST', received, { token: manager.token, body: {} })
      await pass(6 * DAY)
      await pass(2 * DAY)
      const all = (await firings('deliveryReminders')).filter(
        ({ recordId }: { recordId: string }) => recordId === id,
      )
      expect(all.map(({ tag, status }: Record<string, string>) => [tag, status]).toReversed()).toEqual([
        ['next-week', 'fired'],
        ['tomorrow', 'fired'],
        ['late', 'fired'],
      ])
      const mails = await told('deliveryReminders')
      expect(mails.map(({ recipient }: { recipient: string }) => recipient)).toEqual(
        Array.from({ length: 3 }, () => 'manager@example.org'),
      )
      expect(mails[0].subject).toMatch(/^PO-2026-001 is expected on [-\d/]{10}$/)
      expect(mails[2]).toMatchObject({
        subject: 'PO-2026-001 is late',
        body: expect.stringContaining('call Spokes & Sons'),
      })
    })

    it('do not remind of last week what is ordered for tomorrow', async () => {
      const id = await ordered({ expectedOn: day(1) })
      await pass(0)
      const all = (await firings('deliveryReminders')).filter(
        ({ recordId }: { recordId: string }) => recordId === id,
      )
      expect(all.map(({ tag, status }: Record<string, string>) => [tag, status]).toSorted()).toEqual([
        ['next-week', 'superseded'],
        ['tomorrow', 'fired'],
      ])
    })

    it('let invoices fall due in a batch, and send one digest to the manager', async () => {
      const person = { name: 'A customer', email: 'c@example.org', phone: '+441179460000' }
      const { id: customerId } = await create('customer', person)
      const bike = { frameNumber: 'FRAME00001', model: 'Gazelle', kind: 'city', customerId }
      const { id: bikeId } = await create('bike', bike)
      const repair = { problem: 'It rattles when it rains', receivedAt: '2026-03-01T09:00:00Z' }
      const { id: repairOrderId } = await create('repair-order', { ...repair, customerId, bikeId })
      const ids: string[] = []
      for (const [at, dueOn] of [day(-3), day(-1), day(40)].entries()) {
        const invoice = { number: `INV-2026-000${at + 1}`, issuedOn: day(-20), status: 'sent', dueOn }
        ids.push((await create('invoice', { ...invoice, customerId, repairOrderId })).id)
      }
      const dry = await server().request('POST', `${API}/schedules/duePayments/run`, {
        token: server().admin,
        body: { dryRun: true },
      })
      expect(dry.body.data).toMatchObject({ count: 2 })
      await pass(DAY)
      const [entry, ...more] = await firings('duePayments')
      expect(more).toEqual([])
      expect(entry).toMatchObject({ status: 'fired', action: 'transition', count: 2, errors: [] })
      const states = await Promise.all(ids.map(async (id) => (await get(`/invoices/${id}`)).status))
      expect(states).toEqual(['overdue', 'overdue', 'sent'])
      const mails = await told('duePayments')
      expect(mails).toMatchObject([{ subject: '2 invoices fell due', recipient: 'manager@example.org' }])
      for (const number of ['INV-2026-0001', 'INV-2026-0002']) expect(mails[0].body).toContain(number)
      await pass(DAY + HOUR)
      expect(await firings('duePayments')).toHaveLength(1)
    })
  })
}
