import type { Row } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { rounds as allRounds } from '../../kit/rounds.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { QUIET } from '../workflows/desk.ts'

/** Those that are about the domain: the log of requests is written beside them. */
const rounds = (work: () => Promise<unknown>) => allRounds(work, '"shop_')

const ALL = '{ list: ["*"], get: ["*"], create: ["*"], update: ["*"], delete: ["*"] }'
const definition = `
domain:
  name: shop
  version: '1'
  resources:
    Plain:
      object: { title: string, size: integer }
      permissions: ${ALL}
    Kept:
      features: { audit: true }
      object: { title: { type: string, unique: true } }
      history: { events: { came: { on: create, label: 'came' } } }
      permissions: ${ALL}
    Asked:
      object: { title: string }
      history: { events: { came: { on: create, label: 'came', condition: "title == 'a'" } } }
      permissions: ${ALL}
`

// SQLite is no way away from anybody.
for (const store of STORES.filter(({ name }) => name === 'postgres')) {
  describe('a write on PostgreSQL that is told outside', () => {
    const server = useTestKernel({ store, definition, config: QUIET })
    const send = async (method: string, path: string, body?: object) =>
      server().request(method, `/api/v1/shop/${path}`, { token: server().admin, ...(body && { body }) })
    const events = async (id: string): Promise<readonly string[]> => {
      const rows = JSON.parse((await rowsKept(server().database)).get('shop__events')!)
      return rows.filter((row: Row) => row['recordId'] === id).map((row: Row) => String(row['action']))
    }

    it('takes one message where it creates, and one to look besides where it changes', async () => {
      // What a model asks once is asked by the first.
      await send('POST', 'plains', { title: 'first' })
      let id = ''
      const create = async () => {
        const { body, status } = await send('POST', 'plains', { title: 'second' })
        expect(status).toBe(201)
        id = body.data.id
      }
      // What stands before is the lock of the account whose name the entry holds.
      expect(await rounds(create)).toEqual(['select with'])
      expect(await rounds(() => send('PATCH', `plains/${id}`, { size: 2 }))).toEqual([
        'select',
        'select with',
      ])
      expect(await events(id)).toEqual(['created', 'updated'])
    })

    it('takes one message with its ledgers too, and leaves nothing in them where it is refused', async () => {
      await send('POST', 'kepts', { title: 'first' })
      let id = ''
      expect(
        await rounds(async () => {
          id = (await send('POST', 'kepts', { title: 'second' })).body.data.id
        }),
      ).toEqual(['select with'])
      const { status } = await send('POST', 'kepts', { title: 'second' })
      expect(status).toBe(409)
      expect((await send('GET', `kepts/${id}/audit`)).body.data.items).toHaveLength(1)
      expect((await send('GET', `kepts/${id}/history`)).body.data.items).toHaveLength(1)
      expect(await events(id)).toEqual(['created'])
    })

    it('hears conditions of ledgers once its row is there', async () => {
      await send('POST', 'askeds', { title: 'first' })
      const create = () => send('POST', 'askeds', { title: 'a' })
      expect(await rounds(create)).toEqual([
        expect.stringMatching(/^begin .*insert$/),
        'insert insert commit',
      ])
    })
  })
}
