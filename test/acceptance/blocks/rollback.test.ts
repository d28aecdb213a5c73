import { afterRollback, type Change, type Writes } from '@svc/domain/contract'
import { errors, SYSTEM } from '@svc/kernel'
import { column } from '@svc/store/contract'
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
      probe: { tables: true }
      object:
        title: { type: string, required: true }
        slug: { type: slug, from: title, unique: true }
      relationships: { author: { type: belongsTo, target: User, onDelete: cascade } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Note:
      probe: {}
      object: { text: string }
      relationships: { article: { type: belongsTo, target: Article, onDelete: cascade } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Seal:
      object: { text: string }
      relationships: { article: { type: belongsTo, target: Article, onDelete: restrict } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const ARTICLES = '/api/v1/press/articles'
const NOTES = '/api/v1/press/notes'
const [id, about] = [column('id', 'uuid'), column('about', 'text')]
const REFUSED = {
  name: 'press__refused',
  columns: [id, about],
  primaryKey: [id],
  indexes: [],
  foreignKeys: [],
}

for (const store of STORES) {
  describe(`what is written of a refused write on ${store.name}`, () => {
    const probing = createProbing({ refused: REFUSED })
    const server = useTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION })
    afterEach(() => void (probing.part = {}))

    /** Refuses a change of which `isBad`, and leaves a row that says so. */
    const refuse = (change: Change, about: string) => {
      throw afterRollback(errors.CONFLICT({ message: about }), (writes) =>
        writes.insert({ table: REFUSED, values: { id: change.runtime.newId(), about } }),
      )
    }
    const refusing = (isBad: (change: Change) => boolean) => {
      probing.part = {
        beforeWrite: (change) =>
          isBad(change) ? refuse(change, `${change.resource.name} ${change.kind}`) : undefined,
      }
    }
    const send = (method: string, path: string, body?: object, token?: string) =>
      server().request(method, path, { ...(body && { body }), ...(token && { token }) })
    const article = async (title: string) => (await send('POST', ARTICLES, { title })).body.data.id as string
    const left = async (): Promise<readonly string[]> => {
      let found: readonly string[] = []
      probing.probe = async (data) => {
        const where = { op: 'gte', column: about, value: '' } as const
        const rows = await data.reader.select({ table: REFUSED, columns: [about], where, order: [] })
        found = rows.map((row) => String(row['about']))
        await data.write({ caller: SYSTEM }, (writes) => writes.remove({ table: REFUSED, where }))
      }
      await send('POST', `${ARTICLES}/probe`, {})
      return found
    }

    it('is there when a write that was alone is answered', async () => {
      refusing(({ kind }) => kind === 'create')
      expect((await send('POST', ARTICLES, { title: 'x' })).status).toBe(409)
      expect(await left()).toEqual(['Article create'])
    })

    it('is there once, however often the transaction ran', async () => {
      refusing(({ resource, kind }) => resource.name === 'Article' && kind === 'update')
      const key = await article('Again')
      await Promise.all(Array.from({ length: 5 }, () => send('PATCH', `${ARTICLES}/${key}`, { title: 'y' })))
      expect(await left()).toEqual(Array(5).fill('Article update'))
    })

    it('is there of each row that failed alone, beside the rows that stand', async () => {
      refusing(({ values }) => values['title'] === 'bad')
      const items = [{ title: 'good' }, { title: 'bad' }, { title: 'fine' }, { title: 'bad' }]
      const { status, body } = await send('POST', `${ARTICLES}/bulk`, { items })
      expect([status, body.data.created, body.data.failed]).toEqual([201, 2, 2])
      expect(await left()).toEqual(['Article create', 'Article create'])
    })

    it('is there of a record that may not go along, where all of it stays', async () => {
      const key = await article('With notes')
      await send('POST', NOTES, { articleId: key })
      refusing(({ resource, kind }) => resource.name === 'Note' && kind === 'delete')
      expect((await send('DELETE', `${ARTICLES}/${key}`)).status).toBe(409)
      expect((await send('GET', `${ARTICLES}/${key}`)).status).toBe(200)
      expect(await left()).toEqual(['Note delete'])
    })

    it('is there of what a step wrote, whether that ended everything or a savepoint alone', async () => {
      const further = (isCaught: boolean) => {
        probing.part = {
          async beforeWrite(change, writes) {
            if (change.depth > 0) return refuse(change, 'further')
            const values = { text: 'further' }
            const resource = change.resource
            const writing = writes.savepoint(() => writes.record({ kind: 'create', resource, values }))
            await (isCaught ? writing.catch(() => undefined) : writing)
          },
        }
      }
      further(true)
      expect((await send('POST', NOTES, {})).status).toBe(201)
      expect(await left()).toEqual(['further'])
      further(false)
      expect((await send('POST', NOTES, {})).status).toBe(409)
      expect(await left()).toEqual(['further'])
    })

    it.each(['by itself', 'in a step'])(
      'is all that is left of a savepoint %s: of what it had written before nobody is told',
      async (where) => {
        const heard: unknown[] = []
        const off = server().kernel.bus.on('svc.press.note.created', (event: any) => {
          heard.push(event.record.text)
        })
        const inSavepoint = async (writes: Writes, resource: Change['resource']) => {
          const note = (text: string) => writes.record({ kind: 'create', resource, values: { text } })
          await writes
            .savepoint(async () => {
              await note('undone')
              throw errors.CONFLICT()
            })
            .catch(() => undefined)
          await note('stands')
        }
        probing.part = {
          afterWrite: (change, writes) =>
            change.depth === 0 && change.values['text'] === 'first'
              ? inSavepoint(writes, change.resource)
              : undefined,
        }
        probing.probe = (data, call) =>
          data.write(call, (writes) => inSavepoint(writes, data.model.resources.get('Note')!))
        const path = where === 'by itself' ? `${NOTES}/probe` : NOTES
        expect((await send('POST', path, { text: 'first' })).status).toBeLessThan(300)
        await expect.poll(() => heard).toContain('stands')
        expect(heard).not.toContain('undone')
        off()
      },
    )

    it('is there of what a block wrote by itself', async () => {
      refusing(({ kind }) => kind === 'create')
      probing.probe = (data, call) =>
        data.write(call, (writes) =>
          writes.record({ kind: 'create', resource: data.model.resources.get('Note')!, values: {} }),
        )
      expect((await send('POST', `${NOTES}/probe`, {})).status).toBe(409)
      expect(await left()).toEqual(['Note create'])
    })

    it('is there where records would go along with an account', async () => {
      const writer = await server().account(`writer-${store.name}`)
      await send('POST', ARTICLES, { title: 'Mine', authorId: writer.id })
      refusing(({ kind }) => kind === 'delete')
      expect((await send('DELETE', '/api/v1/auth/account', undefined, writer.token)).status).toBe(409)
      expect(await left()).toEqual(['Article delete'])
    })

    it('is not there where nothing was refused, and its own failure is heard in place of the refusal', async () => {
      probing.part = {
        beforeWrite: () => {
          throw afterRollback(errors.CONFLICT(), () => Promise.reject(errors.UNAVAILABLE()))
        },
      }
      expect((await send('POST', ARTICLES, { title: 'x' })).status).toBe(503)
      expect(await left()).toEqual([])
    })

    it('comes after what the engine refuses by itself', async () => {
      const key = await article('Sealed')
      await send('POST', '/api/v1/press/seals', { articleId: key })
      refusing(({ kind }) => kind === 'delete')
      expect((await send('DELETE', `${ARTICLES}/${key}`)).body.error_code).toBe('REFERENCED')
      expect(await left()).toEqual([])
    })
  })

  describe(`rows of many on ${store.name}`, () => {
    const probing = createProbing()
    const server = useTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION })

    it('say in warnings and errors which one they are about, and what an error has to tell', async () => {
      probing.part = {
        beforeWrite(change) {
          if (change.values['title'] === 'bad') throw errors.CONFLICT({ data: { why: 'bad' } })
          change.warn({ rule: 'probe', message: 'row', severity: 'warning', regulation: null })
        },
      }
      const items = [{ title: 'bad' }, { title: 'good', unheard: 1 }, { title: 'fine' }]
      const { body } = await server().request('POST', `${ARTICLES}/bulk`, { body: items })
      expect(body.data.errors[1]).toMatchObject({ index: 1, error_code: 'VALIDATION_ERROR' })
      expect(body.data.errors[0]).toMatchObject({ index: 0, error_code: 'CONFLICT', data: { why: 'bad' } })
      expect(body.warnings.map(({ index }: { index: number }) => index)).toEqual([2])
      const one = await server().request('POST', ARTICLES, { body: { title: 'one' } })
      expect(one.body.warnings).toEqual([
        { rule: 'probe', message: 'row', severity: 'warning', regulation: null },
      ])
    })
  })
}
