import { JobsCapability } from '@svc/jobs/contract'
import { type Plugin, SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const POSTCARDS = new URL('../../fixtures/third-party-plugin/postcards.js', import.meta.url).href
const { plugin }: { readonly plugin: Plugin } = await import(POSTCARDS)

const DEFINITION = `
domain:
  name: inn
  version: '1.0.0'
  resources:
    Guest:
      object: { name: { type: string, required: true, unique: true }, postcardAt: datetime }
      postcard: { days: 3 }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const GUESTS = '/api/v1/inn/guests'
const THREE_DAYS = 3 * 86_400_000

for (const store of STORES) {
  describe(`a plugin whose work survives a crash, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, plugins: [plugin] })
    const printed: {
      readonly id: string
      readonly attempt: number
      readonly card: { readonly name: string }
    }[] = []
    let isJammed = false
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})
    const check = async (name: string) => {
      const { body } = await server().request('POST', GUESTS, { body: { name } })
      return String(body.data.id)
    }
    const postcardAt = async (id: string): Promise<unknown> =>
      (await server().request('GET', `${GUESTS}/${id}`)).body.data.postcardAt

    it('does it when it is due, and writes what came of it with its mark', async () => {
      server().kernel.bus.on('postcards.print', (event) => {
        if (isJammed) throw new Error('paper jam')
        printed.push(event as (typeof printed)[number])
      })
      const id = await check('ann')
      await tick()
      expect(await postcardAt(id)).toBeNull()
      server().clock.advance(THREE_DAYS)
      await tick()
      expect(printed.map(({ card, attempt }) => [card.name, attempt])).toEqual([['ann', 1]])
      expect(await postcardAt(id)).toBe(new Date(server().clock.now()).toISOString())
    })

    it('has none to do for a write that was refused', async () => {
      expect((await server().request('POST', GUESTS, { body: { name: 'ann' } })).status).toBe(409)
      server().clock.advance(THREE_DAYS)
      await tick()
      expect(printed).toHaveLength(1)
    })

    it('does it later where it fails, one piece after the other, under one id', async () => {
      isJammed = true
      const [bob, cyd] = [await check('bob'), await check('cyd')]
      server().clock.advance(THREE_DAYS)
      await tick()
      expect(await postcardAt(bob)).toBeNull()
      isJammed = false
      await tick()
      expect(printed).toHaveLength(1)
      server().clock.advance(5000)
      await tick()
      expect(printed.slice(1).map(({ card, attempt }) => [card.name, attempt])).toEqual([
        ['bob', 2],
        ['cyd', 1],
      ])
      expect([await postcardAt(bob), await postcardAt(cyd)]).not.toContain(null)
    })

    it('is never asked from outside', async () => {
      const { kernel } = server()
      expect(kernel.actions.list().find(({ name }) => name === 'jobs.tick')?.routes ?? []).toEqual([])
      expect(kernel.get(JobsCapability).kind).toBeTypeOf('function')
    })
  })
}
