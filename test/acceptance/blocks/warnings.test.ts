import type { Warning } from '@svc/kernel'
import { afterEach, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from './probe.ts'

const DEFINITION = `
domain:
  name: press
  version: '1.0.0'
  resources:
    Article:
      probe: {}
      object:
        title: { type: string, required: true }
        slug: { type: slug, from: title, unique: true }
        views: { type: integer, default: 0 }
      relationships:
        notes: { type: hasMany, target: Note, foreignKey: articleId }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Note:
      probe: {}
      object: { secret: string, ownerNote: string, createdById: uuid }
      relationships:
        article: { type: belongsTo, target: Article, onDelete: cascade }
      permissions:
        list: ['*']
        get: ['*']
        create: ['*']
        update: ['*']
        delete: ['*']
        fields: { secret: { read: [boss] }, ownerNote: { write: [owner] } }
`
const ARTICLES = '/api/v1/press/articles'
const NOTES = '/api/v1/press/notes'
/** So many ask for one name at once. */
const MANY = 20

for (const store of STORES) {
  describe(`warnings of blocks on ${store.name}`, () => {
    const probing = createProbing()
    const server = useTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION })
    const warning = (message: string): Warning => ({
      rule: 'probe',
      message,
      severity: 'warning',
      regulation: null,
    })
    const create = (title: string, headers = {}) =>
      server().request('POST', ARTICLES, { body: { title }, headers })
    afterEach(() => void (probing.part = {}))

    it('are told once, however often their transaction ran', async () => {
      probing.part = { beforeWrite: (change) => change.warn(warning('once')) }
      const answers = await Promise.all(Array.from({ length: MANY }, () => create('The same name')))
      expect(answers.map(({ status }) => status)).toEqual(Array(MANY).fill(201))
      expect(answers.map(({ body }) => body.warnings.length)).toEqual(Array(MANY).fill(1))
    })

    it('are kept with an answer once, and told with it again', async () => {
      probing.part = { afterWrite: (change) => change.warn(warning('kept')) }
      const keyed = (at: number) => create('A kept name', { 'idempotency-key': `kept-${at}` })
      const first = await Promise.all(Array.from({ length: MANY }, (_, at) => keyed(at)))
      const again = await Promise.all(Array.from({ length: MANY }, (_, at) => keyed(at)))
      for (const answers of [first, again])
        expect(answers.map(({ body }) => body.warnings)).toEqual(Array(MANY).fill([warning('kept')]))
      expect(again[0]!.headers.get('idempotency-replayed')).toBe('true')
    })

    it('are told once for each row of a bulk request', async () => {
      probing.part = { beforeWrite: (change) => change.warn(warning('row')) }
      const items = Array.from({ length: 5 }, () => ({ title: 'A row' }))
      const bulk = () => server().request('POST', `${ARTICLES}/bulk`, { body: { items } })
      const answers = await Promise.all([bulk(), bulk(), bulk()])
      expect(answers.map(({ body }) => [body.data.created, body.warnings.length])).toEqual(
        Array(3).fill([5, 5]),
      )
    })

    it('come from what goes along, from what a block writes further, and not from what failed', async () => {
      probing.part = {
        async afterWrite(change, writes) {
          change.warn(warning(`${change.resource.name} ${change.kind}`))
          if (change.resource.name !== 'Article' || change.kind !== 'update') return
          const bad = { kind: 'create', resource: change.resource, values: {} } as const
          await writes.savepoint(() => writes.record(bad)).catch(() => undefined)
          await writes.record({ kind: 'create', resource: change.resource, values: { title: 'further' } })
        },
      }
      const { body } = await create('A parent')
      await server().request('POST', NOTES, { body: { articleId: body.data.id } })
      const told = async (method: string, sent?: object) =>
        (await server().request(method, `${ARTICLES}/${body.data.id}`, { ...(sent && { body: sent }) })).body
          ?.warnings
      expect((await told('PATCH', { views: 1 })).map(({ message }: Warning) => message)).toEqual([
        'Article update',
        'Article create',
      ])
      const gone = await server().request('DELETE', `${ARTICLES}/${body.data.id}`)
      expect(gone.status).toBe(204)
    })

    it('of the engine too: what an owner alone may write is told once', async () => {
      const owner = await server().account(`owner-${store.name}`)
      const made = await server().request('POST', NOTES, { token: owner.token, body: {} })
      const path = `${NOTES}/${made.body.data.id}`
      const stranger = await server().account(`stranger-${store.name}`)
      const patch = () => server().request('PATCH', path, { token: stranger.token, body: { ownerNote: 'x' } })
      const answers = await Promise.all(Array.from({ length: 8 }, patch))
      expect(answers.map(({ body }) => body.warnings.length)).toEqual(Array(8).fill(1))
    })

    it('and messages on what goes along tell whoever asked no more than they may read', async () => {
      const boss = await server().account(`boss-${store.name}`, ['boss'])
      const { body } = await create('Delicate')
      await server().request('POST', NOTES, { body: { articleId: body.data.id, secret: 'hush' } })
      probing.part = {
        beforeWrite(change) {
          if (change.resource.name !== 'Note') return
          const isOpen = change.asking().readableIn(change.next(), 'secret')
          throw new Error(`refused: ${isOpen ? String(change.next()['secret']) : '-'}`)
        },
      }
      const messages: string[] = []
      const { beforeWrite } = probing.part
      probing.part = {
        async beforeWrite(change, writes) {
          try {
            await beforeWrite?.(change, writes)
          } catch (error) {
            messages.push(String(error))
            throw error
          }
        },
      }
      await server().request('DELETE', `${ARTICLES}/${body.data.id}`)
      await server().request('DELETE', `${ARTICLES}/${body.data.id}`, { token: boss.token })
      expect(messages).toEqual(['Error: refused: -', 'Error: refused: hush'])
    })
  })
}
