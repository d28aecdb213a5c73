import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const EXAMPLE = new URL('../../../apps/server/examples/workshop/', import.meta.url)
const ORDERS = '/api/v1/workshop/repair-orders'

for (const store of STORES) {
  describe(`the scripts of the workshop on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: readFileSync(new URL('domain.yaml', EXAMPLE), 'utf8'),
      config: { scripting: { dir: fileURLToPath(new URL('scripts', EXAMPLE)) } },
    })
    let manager: TestAccount
    let number = 0
    beforeAll(async () => {
      manager = await server().account('manager', ['manager'])
    })

    const create = async (resource: string, data: object) =>
      (await server().kernel.callAs(SYSTEM)(`svc.workshop.${resource}.create`, { data })) as { id: string }
    /** Makes a repair order in a state, for a bike of a kind. */
    const order = async (kind: string, status: string) => {
      number += 1
      const customer = await create('customer', required('Customer', number))
      const bike = await create('bike', { ...required('Bike', number), kind, customerId: customer.id })
      const values = { ...required('RepairOrder', number), customerId: customer.id, bikeId: bike.id, status }
      return `${ORDERS}/${(await create('repair-order', values)).id}`
    }
    const post = async (path: string, body: object = {}) => {
      const answer = await server().request('POST', path, { token: manager.token, body })
      return [answer.status, answer.body.error_message ?? answer.body.data.status]
    }

    it('hold a bike back until its safety list is complete', async () => {
      const path = await order('ebike', 'testing')
      const pass = (checklist: string[]) => post(`${path}/transitions/pass`, { checklist })
      expect(await pass(['brakes'])).toEqual([422, 'The safety list lacks: bolts, motor'])
      expect(await pass(['brakes', 'bolts', 'motor'])).toEqual([200, 'ready'])
      const simple = await order('city', 'testing')
      expect(await post(`${simple}/transitions/fail`)).toEqual([200, 'in_repair'])
    })

    it('let three repairs be urgent', async () => {
      const paths: string[] = []
      for (let i = 0; i < 4; i++) paths.push(await order('city', 'received'))
      for (const path of paths.slice(0, 3)) expect((await post(`${path}/flag-urgent`))[0]).toBe(200)
      expect((await post(`${paths[0]}/flag-urgent`))[0]).toBe(200)
      expect(await post(`${paths[3]}/flag-urgent`)).toEqual([
        422,
        '3 repairs are urgent already: finish one of them first',
      ])
    })
  })
}

/** What each resource asks for at least. */
function required(resource: 'Customer' | 'Bike' | 'RepairOrder', number: number): object {
  return {
    Customer: { name: `Customer ${number}`, email: `c${number}@example.org`, phone: '+441179460000' },
    Bike: {
      frameNumber: `FRAME${String(number).padStart(5, '0')}`,
      model: 'Test',
      motor: 'Hub',
      batteryWh: 500,
    },
    RepairOrder: { problem: 'It rattles when it rains', receivedAt: '2026-03-01T09:00:00Z' },
  }[resource]
}
