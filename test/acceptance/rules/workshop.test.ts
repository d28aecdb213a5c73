import { readFileSync } from 'node:fs'
import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const EXAMPLE = new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url)
const API = '/api/v1/workshop'

for (const store of STORES) {
  describe(`the rules of the workshop on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: readFileSync(EXAMPLE, 'utf8') })
    let manager: TestAccount
    let number = 0
    beforeAll(async () => {
      manager = await server().account('manager', ['manager'])
    })
    const create = async (resource: string, data: object) =>
      (await server().kernel.callAs(SYSTEM)(`svc.workshop.${resource}.create`, { data })) as { id: string }
    const order = async (values: object) => {
      number += 1
      const person = { name: `Customer ${number}`, email: `c${number}@example.org`, phone: '+441179460000' }
      const { id: customerId } = await create('customer', person)
      const frameNumber = `FRAME${String(number).padStart(5, '0')}`
      const { id: bikeId } = await create('bike', { frameNumber, model: 'Gazelle', kind: 'city', customerId })
      const given = { problem: 'It rattles when it rains', receivedAt: '2026-03-01T09:00:00Z' }
      const { id } = await create('repair-order', { ...given, ...values, customerId, bikeId })
      return { id, customerId }
    }
    const send = (method: string, path: string, body: object = {}) =>
      server().request(method, `${API}/repair-orders/${path}`, { token: manager.token, body })

    it('keep a bike with a failing battery in the house', async () => {
      const { id } = await order({ status: 'ready', batteryHealth: 20 })
      const { status, body } = await send('POST', `${id}/transitions/collect`)
      expect([status, body.error_code]).toEqual([422, 'RULE_VIOLATION'])
      expect(body.error_message).toMatch(
        /^The battery of order \d+ is down to 20 percent, and 25 is the least$/,
      )
      expect(body.data).toMatchObject({
        rule: 'noUnsafeBattery',
        regulation: 'Workshop safety policy, section 3',
        messageData: { least: 25, bike: 'Gazelle' },
      })
    })

    it('keep a bike whose invoice is not paid', async () => {
      const { id, customerId } = await order({ status: 'ready' })
      const invoice = {
        number: 'INV-2026-0001',
        issuedOn: '2026-03-02',
        dueOn: '2026-03-16',
        status: 'sent',
        customerId,
        repairOrderId: id,
      }
      await create('invoice', invoice)
      const { body } = await send('POST', `${id}/transitions/collect`)
      expect([body.data.rule, body.data.messageData]).toEqual(['noHandoutUnpaid', { invoices: 1 }])
      const paid = await order({ status: 'ready' })
      expect((await send('POST', `${paid.id}/transitions/collect`)).status).toBe(200)
    })

    it('warn of a weak battery, and tell its story', async () => {
      const { id } = await order({ status: 'in_repair' })
      const { status, body } = await send('PATCH', id, { batteryHealth: 41 })
      expect([status, body.warnings.length]).toEqual([200, 1])
      expect(body.warnings[0]).toMatchObject({
        rule: 'weakBattery',
        message: 'The battery is down to 41 percent: offer a replacement',
      })
      const path = `${API}/repair-orders/${id}/history?event=rule.weakBattery`
      const history = await server().request('GET', path, { token: manager.token })
      expect(history.body.data.items[0]).toMatchObject({
        label: body.warnings[0].message,
        severity: 'warning',
      })
    })

    it('note large quotes', async () => {
      const { id } = await order({ status: 'diagnosed', estimate: 640, contactEmail: 'c@example.org' })
      expect((await send('POST', `${id}/transitions/sendQuote`)).status).toBe(200)
      const { body } = await server().request('GET', `${API}/rules/log?rule=largeQuote`, {
        token: server().admin,
      })
      expect(body.data.items).toMatchObject([{ outcome: 'logged', recordId: id, transition: 'sendQuote' }])
    })
  })
}
