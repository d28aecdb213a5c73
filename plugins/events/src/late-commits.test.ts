import { SYSTEM } from '@svc/kernel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { useTestKernel } from '../../../test/kit/test-kernel.ts'
import { createListening } from './events.testkit.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  ears: [{ resource: Order, event: update }]
  resources:
    Order:
      object: { title: string }
      permissions: { create: ['*'] }
`
/** Each may stand in an open transaction; one of the four connections is left for who reads. */
const RECORDS = 3

/** What happens next: a transaction begins to write a record, the one that writes a record is committed, or events are read. */
type Move = { readonly kind: 'begin' | 'end'; readonly record: number } | { readonly kind: 'read' }
const record = fc.nat({ max: RECORDS - 1 })
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), record }),
  fc.record({ kind: fc.constant('end' as const), record }),
  fc.constant({ kind: 'read' as const }),
)

interface Open {
  readonly title: string
  readonly commit: () => Promise<void>
}

for (const store of STORES.filter(({ name }) => name === 'postgres')) {
  describe(`events of transactions side by side on ${store.name}`, () => {
    const listening = createListening()
    const config = { jobs: { enabled: false } }
    const server = useTestKernel({ store, plugins: [listening.plugin], definition: DEFINITION, config })
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})

    /** Writes a record and leaves the transaction open. */
    async function begin(key: string, title: string): Promise<Open> {
      const resource = listening.data().model.resources.get('Order')!
      let open: () => void = () => undefined
      const opened = new Promise<void>((resolve) => (open = resolve))
      let release: () => void = () => undefined
      const released = new Promise<void>((resolve) => (release = resolve))
      const written = listening.data().write({ caller: SYSTEM }, async (writes) => {
        await writes.record({ kind: 'update', resource, key, values: { title } })
        open()
        await released
      })
      await Promise.race([opened, written])
      return {
        title,
        async commit() {
          release()
          await written
        },
      }
    }

    it('are read in the order of their commits, none passed over and none twice', async () => {
      const keys: string[] = []
      for (let at = 0; at < RECORDS; at += 1) {
        const { body } = await server().request('POST', '/api/v1/shop/orders', { body: { title: 'new' } })
        keys.push(body.data.id as string)
      }
      await tick()
      let count = 0
      await fc.assert(
        fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
          listening.taken.length = 0
          const open = new Map<number, Open>()
          const committed: string[] = []
          /** How many were committed when events were read: these are all of them. */
          const titles = () => listening.taken.map(({ record: { title } }) => String(title))
          const read = async () => {
            await tick()
            expect(titles().toSorted()).toEqual(committed.toSorted())
            for (const key of keys) {
              const own = listening.taken.filter(({ recordId }) => recordId === key)
              const said = own.map(({ record: { title } }) => String(title))
              expect(said).toEqual(committed.filter((title) => said.includes(title)))
            }
          }
          const end = async (at: number) => {
            const one = open.get(at)
            if (one === undefined) return
            open.delete(at)
            await one.commit()
            committed.push(one.title)
          }
          for (const one of moves) {
            if (one.kind === 'read') await read()
            else if (one.kind === 'end') await end(one.record)
            else if (!open.has(one.record))
              open.set(one.record, await begin(keys[one.record]!, `t${(count += 1)}`))
          }
          for (const at of open.keys()) await end(at)
          await read()
        }),
        { numRuns: 25 },
      )
    })
  })
}
