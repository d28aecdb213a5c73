import { type DomainBlock, DomainsCapability, type Text } from '@svc/domain/contract'
import { HISTORY, type TimelineEntry } from '@svc/history/contract'
import { definePlugin } from '@svc/kernel'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const OPEN =
  "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'], fields: { cost: { read: [boss] } } }"
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      object: { title: string, cost: integer, priority: string }
      history:
        events:
          booked: { on: create, label: 'Booked' }
          dear: { on: fieldChange, field: cost, label: 'Dear', condition: cost > 10 }
          moved: { on: fieldChange, field: priority, label: 'Moved to {newValue}' }
      permissions: ${OPEN}
    Plain:
      object: { title: string }
      permissions: { create: ['*'] }
`
const ORDERS = '/api/v1/shop/orders'

/** What a block that comes after the timelines has heard of, and what it puts there. */
const heard: (readonly [string, readonly string[] | undefined])[] = []
let entry: TimelineEntry | undefined

const listener: DomainBlock = {
  on: 'domain',
  key: 'listener',
  after: [HISTORY.key],
  compile(_, site) {
    const { resources } = site.model
    const timelines = new Map([...resources.values()].map((one) => [one, site.made(HISTORY, one)]))
    return {
      async afterWrite(change, writes) {
        const timeline = timelines.get(change.resource)
        heard.push([change.resource.name, timeline?.broughtBy(change)])
        if (entry !== undefined) await timeline?.add(writes, change, entry)
      },
      made: [...timelines].map(([{ name }, timeline]) => [name, timeline?.events]),
    }
  },
}
const plugin = definePlugin({
  name: 'listener',
  phase: 'domain',
  requires: { domains: DomainsCapability },
  setup: ({ domains }) => domains.block(listener),
})

for (const store of STORES) {
  describe(`the timeline for other plugins, on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin], definition: DEFINITION })
    let boss: TestAccount
    beforeAll(async () => {
      boss = await server().account('boss', ['boss'])
    })
    beforeEach(() => {
      heard.length = 0
      entry = undefined
    })
    const make = async (body: object) =>
      (await server().request('POST', ORDERS, { body })).body.data.id as string
    const labels = async (id: string, language = 'en', token?: string) => {
      const { body } = await server().request('GET', `${ORDERS}/${id}/history`, {
        headers: { 'accept-language': language },
        ...(token !== undefined && { token }),
      })
      return body.data.items.map((item: { event: string; label: string; severity: string }) => [
        item.event,
        item.label,
        item.severity,
      ]) as unknown[]
    }

    it('W1: says which events a write brings about, in the transaction of the write', async () => {
      const id = await make({ title: 'one', cost: 5 })
      await server().request('PATCH', `${ORDERS}/${id}`, { body: { cost: 20, priority: 'high' } })
      await server().request('PATCH', `${ORDERS}/${id}`, { body: { cost: 9 } })
      await server().request('POST', '/api/v1/shop/plains', { body: { title: 'no timeline' } })
      expect(heard).toEqual([
        ['Order', ['booked']],
        ['Order', ['dear', 'moved']],
        ['Order', []],
        ['Plain', undefined],
      ])
    })

    it('B7: takes entries of other plugins, filled anew for each reader', async () => {
      const label: Text = { en: 'Too dear: {cost} {why}', de: 'Zu teuer: {cost} {why}' }
      entry = {
        event: 'rule.dear',
        label,
        severity: 'warning',
        values: { cost: 20, why: 'since {cost}' },
        sources: { cost: ['cost'], why: [] },
      }
      const id = await make({ title: 'one', cost: 20 })
      expect(await labels(id, 'en', boss.token)).toEqual([
        ['rule.dear', 'Too dear: 20 since {cost}', 'warning'],
        ['booked', 'Booked', 'info'],
      ])
      expect(await labels(id, 'de', boss.token)).toContainEqual([
        'rule.dear',
        'Zu teuer: 20 since {cost}',
        'warning',
      ])
      expect(await labels(id)).toContainEqual(['rule.dear', 'Too dear:  since {cost}', 'warning'])
    })
  })
}
