import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

type Json = Readonly<Record<string, unknown>>

const ALL = ['*']
const OPEN = { list: ALL, get: ALL, create: ALL, update: ALL, delete: ALL }
const LOSSY = { allow_destructive: true }

for (const store of STORES) {
  describe(`a change of a definition on ${store.name}`, () => {
    const server = useTestKernel({ store })
    let domains = 0

    /** A domain of its own, whose one resource is called Thing unless there are others. */
    function domain() {
      const name = `d${(domains += 1)}`
      const send = (method: string, path: string, body?: unknown) =>
        server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
      const text = (thing: Json, more: Json = {}) => {
        const { resources = {}, ...others } = more
        const Thing = { permissions: OPEN, ...thing }
        return JSON.stringify({
          domain: { name, version: '1', ...others, resources: { Thing, ...(resources as Json) } },
        })
      }
      const path = `/api/v1/${name}/things`
      return {
        name,
        path,
        send,
        submit: (thing: Json, more: Json = {}, options: Json = {}) =>
          send('POST', '/api/v1/domains', { content: text(thing, more), ...options }),
        preview: (thing: Json, more: Json = {}) =>
          send('POST', `/api/v1/domains/${name}/preview`, { content: text(thing, more) }),
        create: async (body: Json, at = path) => {
          const answer = await send('POST', at, body)
          expect(answer.status).toBe(201)
          return answer.body.data
        },
        get: async (id: string) => (await send('GET', `${path}/${id}`)).body.data,
        migrations: async () =>
          (await send('GET', `/api/v1/domains/${name}/migrations`)).body.data.migrations,
      }
    }

    describe('works stored formulas out anew', () => {
      const priced = (computed: Json, object: Json = {}) => ({
        object: { price: 'integer', count: 'integer', ...object },
        computed,
      })
      const total = (expression: string, type = 'integer') => ({ total: { type, expression, stored: true } })

      it('when their expression changes, in every record, and back in a rollback', async () => {
        const { submit, preview, create, path, send, get, migrations, name } = domain()
        await submit(priced(total('price * count')))
        const rows = Array.from({ length: 60 }, (_, at) => ({ price: at, count: 2 }))
        await send('POST', `${path}/bulk`, { items: rows })
        const { id, total: before } = await create({ price: 10, count: 3 })
        expect(before).toBe(30)
        const next = priced(total('price * count + 1'))
        const { body } = await preview(next)
        expect(body.data).toMatchObject({
          destructive: false,
          steps: [{ kind: 'recompute', column: 'total' }],
        })
        expect((await submit(next)).status).toBe(201)
        expect((await get(id)).total).toBe(31)
        const { body: list } = await send('GET', `${path}?limit=100`)
        expect(
          list.data.items.map(({ price, total: sum }: { price: number; total: number }) => sum - price),
        ).toEqual(
          list.data.items.map(
            ({ price, count }: { price: number; count: number }) => price * (count - 1) + 1,
          ),
        )
        expect((await migrations())[0].up.join()).toContain('"total" worked out anew')
        expect((await send('POST', `/api/v1/domains/${name}/rollback`)).status).toBe(200)
        expect((await get(id)).total).toBe(30)
      })

      it('when their type changes, without asking: the values come anew', async () => {
        const { submit, create, get } = domain()
        await submit(priced(total('price * count')))
        const { id } = await create({ price: 10, count: 3 })
        expect((await submit(priced(total("concat(price, ' each')", 'string')))).status).toBe(201)
        expect((await get(id)).total).toBe('10 each')
      })

      it('when they are added, or were worked out on every read before', async () => {
        const { submit, create, get, path, send } = domain()
        await submit(priced({ total: { type: 'integer', expression: 'price * count' } }))
        const { id } = await create({ price: 10, count: 3 })
        const both = priced({
          ...total('price * count'),
          half: { type: 'decimal', expression: 'total / 2', stored: true },
        })
        expect((await submit(both)).status).toBe(201)
        expect(await get(id)).toMatchObject({ total: 30, half: 15 })
        const { body } = await send('GET', `${path}?filter[half][gt]=14`)
        expect(body.data.items).toHaveLength(1)
      })

      it('when a formula that they read changes, or a value', async () => {
        const { submit, create, get } = domain()
        const formulas = (base: string) => ({
          base: { type: 'integer', expression: base },
          ...total('base + 1'),
        })
        await submit(priced(formulas('price')))
        const { id } = await create({ price: 10, count: null })
        await submit(priced(formulas('price * 2')))
        expect((await get(id)).total).toBe(21)
        await submit(priced(total('count + 1'), { count: 'integer' }))
        expect((await get(id)).total).toBeNull()
        await submit(
          priced(total('count + 1'), { count: { type: 'integer', required: true, default: 4 } }),
          {},
          LOSSY,
        )
        expect((await get(id)).total).toBe(5)
      })

      it('in place of what clients wrote only with permission', async () => {
        const { submit, create, get } = domain()
        await submit({ object: { price: 'integer', total: 'integer' } })
        const { id } = await create({ price: 10, total: 7 })
        const next = { object: { price: 'integer' }, computed: total('price') }
        const refused = await submit(next)
        expect([refused.status, refused.body.error_code]).toEqual([422, 'DESTRUCTIVE_MIGRATION'])
        expect((await get(id)).total).toBe(7)
        expect((await submit(next, {}, LOSSY)).status).toBe(201)
        expect((await get(id)).total).toBe(10)
      })
    })

    describe('asks before it narrows', () => {
      /** Refused without permission with a message that holds `said`, and then done. */
      async function isAsked(
        { submit }: ReturnType<typeof domain>,
        said: string,
        thing: Json,
        more: Json = {},
      ) {
        const refused = await submit(thing, more)
        expect([refused.status, refused.body.error_code]).toEqual([422, 'DESTRUCTIVE_MIGRATION'])
        expect(refused.body.data.join()).toContain(said)
        expect((await submit(thing, more, LOSSY)).status).toBe(201)
      }

      const machine = (...names: string[]) => ({
        object: { status: 'string', title: 'string' },
        stateMachine: {
          field: 'status',
          initial: 'draft',
          states: Object.fromEntries(
            names.map((state) => [state, state === 'draft' ? { transitions: { go: { to: names[1] } } } : {}]),
          ),
        },
      })

      it('a state that records are in', async () => {
        const one = domain()
        await one.submit(machine('draft', 'live', 'gone'))
        expect((await one.submit(machine('draft', 'live'))).status).toBe(201)
        const { id } = await one.create({ title: 'a' })
        expect((await one.send('POST', `${one.path}/${id}/transitions/go`)).status).toBe(200)
        await isAsked(one, "loses 'live'", machine('draft', 'open'))
        expect((await one.get(id)).status).toBe('draft')
        expect((await one.send('POST', `${one.path}/${id}/transitions/go`)).status).toBe(200)
      })

      it('a field that gets states', async () => {
        const one = domain()
        await one.submit({ object: { status: 'string', title: 'string' } })
        const { id } = await one.create({ status: 'strange' })
        await isAsked(one, 'is limited to states', machine('draft', 'live'))
        expect((await one.get(id)).status).toBe('draft')
      })

      it('a state that an enumeration loses with it', async () => {
        const one = domain()
        const limited = (...names: string[]) => {
          const { object, ...more } = machine(...names)
          return { object: { ...object, status: { type: 'string', enum: names } }, ...more }
        }
        await one.submit(limited('draft', 'live'))
        const { id } = await one.create({ title: 'a' })
        await one.send('POST', `${one.path}/${id}/transitions/go`)
        await isAsked(one, 'values that do not fit become "draft"', limited('draft', 'open'))
        expect((await one.get(id)).status).toBe('draft')
        expect((await one.send('POST', `${one.path}/${id}/transitions/go`)).status).toBe(200)
      })

      it('a field with an enumeration that gets states, and records without a value', async () => {
        const one = domain()
        await one.submit({ object: { status: 'string', title: 'string' } })
        const { id } = await one.create({ status: 'strange' })
        const { id: other } = await one.create({ title: 'b' })
        const limited = {
          ...machine('draft', 'live'),
          object: { status: { type: 'string', enum: ['draft', 'live'] }, title: 'string' },
        }
        await isAsked(one, 'is limited to states', limited)
        expect([(await one.get(id)).status, (await one.get(other)).status]).toEqual(['draft', 'draft'])
        expect((await one.send('POST', `${one.path}/${other}/transitions/go`)).status).toBe(200)
      })

      it('a relationship that becomes required, and a field', async () => {
        const one = domain()
        const linked = (required: boolean) => ({
          object: { title: 'string' },
          relationships: { other: { type: 'belongsTo', target: 'Thing', required } },
        })
        await one.submit(linked(false))
        const { id } = await one.create({ title: 'a' })
        await isAsked(one, "'otherId' becomes required", linked(true))
        expect((await one.get(id)).otherId).toBeNull()
        expect((await one.send('POST', one.path, { title: 'b' })).status).toBe(422)
        const titled = { object: { title: { type: 'string', required: true, default: 'none' } } }
        await isAsked(one, "'title' becomes required", { ...linked(true), ...titled })
      })

      const page = {
        object: {
          content: 'blocks',
          size: { type: 'component', fields: { is: { type: 'string', enum: 'Size' } } },
        },
      }
      const shared = (block: Json, ...values: string[]) => ({
        blocks: { Text: { fields: block } },
        enums: { Size: { values } },
      })

      it('what blocks are made of, where a stored one does not fit', async () => {
        const one = domain()
        await one.submit(page, shared({ body: 'string' }, 'small'))
        const { id } = await one.create({ content: [{ type: 'Text', data: { body: 'long enough' } }] })
        expect(
          (await one.submit(page, shared({ body: { type: 'string', maxLength: 50 } }, 'small'))).status,
        ).toBe(201)
        expect((await one.get(id)).content).toHaveLength(1)
        await isAsked(
          one,
          "'content' has other blocks",
          page,
          shared({ body: { type: 'string', maxLength: 5 } }, 'small'),
        )
        expect((await one.get(id)).content).toBeNull()
      })

      it('the values of an enumeration inside a component', async () => {
        const one = domain()
        await one.submit(page, shared({ body: 'string' }, 'small', 'large', 'huge'))
        await one.create({ size: { is: 'large' } })
        expect((await one.submit(page, shared({ body: 'string' }, 'small', 'large'))).status).toBe(201)
        await isAsked(one, "has fewer values in 'Size'", page, shared({ body: 'string' }, 'small'))
      })
    })

    it('that makes a key lead to a new resource asks before it clears what leads nowhere', async () => {
      const { submit, create, get, send, name } = domain()
      const object = { title: 'string', ownerId: 'uuid' }
      const owned = {
        object,
        relationships: { owner: { type: 'belongsTo', target: 'Owner', onDelete: 'cascade' } },
      }
      const resources = (onDelete: string) => ({
        Owner: { object: { title: 'string' }, permissions: OPEN },
        Part: {
          object: { ownerId: 'uuid' },
          permissions: OPEN,
          relationships: { owner: { type: 'belongsTo', target: 'Owner', onDelete } },
        },
      })
      await submit({ object })
      const { id } = await create({ ownerId: '0198c0de-0000-7000-8000-000000000001' })
      const refused = await submit(owned, { resources: resources('none') })
      expect([refused.status, refused.body.data]).toEqual([
        422,
        [expect.stringMatching(/'ownerId' becomes enforced.*; 1 of 1 records is concerned/)],
      ])
      expect((await submit(owned, { resources: resources('none') }, LOSSY)).status).toBe(201)
      expect((await get(id)).ownerId).toBeNull()

      // What a rollback enforces again may lead nowhere by now: nothing is changed then.
      await submit(owned, { resources: resources('restrict') })
      await submit(owned, { resources: resources('none') })
      const owner = await create({}, `/api/v1/${name}/owners`)
      await create({ ownerId: owner.id }, `/api/v1/${name}/parts`)
      expect((await send('DELETE', `/api/v1/${name}/owners/${owner.id}`)).status).toBe(204)
      const back = await send('POST', `/api/v1/domains/${name}/rollback`, {})
      expect([back.status, back.body.error_message]).toEqual([
        409,
        `Stored values in '${name}_part' (ownerId) break the new rules: change them first`,
      ])
    })

    describe('that gives a field states lets the records there begin', () => {
      const object = { status: 'string', title: 'string' }
      const machine = (field: string) => ({
        object,
        stateMachine: {
          field,
          initial: 'draft',
          states: { draft: { transitions: { go: { to: 'live' } } }, live: {} },
        },
      })

      it('where all that have a value are in one of them', async () => {
        const { submit, preview, create, path, send, get } = domain()
        await submit({ object })
        const [{ id }, other] = [await create({ title: 'a' }), await create({ status: 'live' })]
        const { steps } = (await preview(machine('status'))).body.data
        expect(steps).toMatchObject([{ kind: 'fillColumn', column: 'status', destructive: false }])
        expect((await submit(machine('status'))).status).toBe(201)
        expect([(await get(id)).status, (await get(other.id)).status]).toEqual(['draft', 'live'])
        expect((await send('POST', `${path}/${id}/transitions/go`)).status).toBe(200)
      })

      it('where it had another type', async () => {
        const { submit, create, get } = domain()
        await submit({ object: { ...object, status: 'integer' } })
        const [{ id }, other] = [await create({ title: 'a' }), await create({ status: 5 })]
        expect((await submit(machine('status'))).body.error_code).toBe('DESTRUCTIVE_MIGRATION')
        expect((await submit(machine('status'), {}, LOSSY)).status).toBe(201)
        expect([(await get(id)).status, (await get(other.id)).status]).toEqual(['draft', 'draft'])
      })

      it('where another field had them', async () => {
        const { submit, create, get } = domain()
        await submit(machine('status'))
        const [{ id }, other] = [await create({}), await create({ title: 'strange' })]
        expect((await submit(machine('title'))).body.data).toEqual([
          expect.stringContaining("'title' is limited to states"),
        ])
        await submit(machine('title'), {}, LOSSY)
        expect([(await get(id)).title, (await get(other.id)).title]).toEqual(['draft', 'draft'])
      })

      it('where it is made required', async () => {
        const { submit, create, get } = domain()
        await submit({ object })
        const { id } = await create({ title: 'a' })
        const required = {
          ...machine('status'),
          object: { ...object, status: { type: 'string', required: true } },
        }
        expect((await submit(required, {}, LOSSY)).status).toBe(201)
        expect((await get(id)).status).toBe('draft')
      })

      it('in a rollback', async () => {
        const { submit, create, get, send, name } = domain()
        await submit(machine('status'))
        await submit({ object })
        const [{ id }, other] = [await create({ title: 'a' }), await create({ status: 'strange' })]
        expect((await send('POST', `/api/v1/domains/${name}/rollback`, {})).status).toBe(200)
        expect([(await get(id)).status, (await get(other.id)).status]).toEqual(['draft', 'draft'])
      })
    })

    it('that is taken back leaves no record in a state that is gone', async () => {
      const { submit, create, path, send, get, name } = domain()
      const thing = (...names: readonly string[]) => ({
        object: { status: { type: 'string', enum: names }, title: 'string' },
        stateMachine: {
          field: 'status',
          initial: 'a',
          states: Object.fromEntries(
            names.map((one) => [one, { transitions: { go: { to: names.at(-1) } } }]),
          ),
        },
      })
      await submit(thing('a', 'b'))
      await submit(thing('a', 'b', 'c'))
      const [one, other] = [await create({}), await create({})]
      await send('POST', `${path}/${one.id}/transitions/go`, {})
      expect((await get(one.id)).status).toBe('c')
      expect((await send('POST', `/api/v1/domains/${name}/rollback`, {})).status).toBe(200)
      expect([(await get(one.id)).status, (await get(other.id)).status]).toEqual(['a', 'a'])
      expect((await send('PATCH', `${path}/${one.id}`, { title: 'x' })).status).toBe(200)
    })

    it('by which the service numbers a field again gives no number twice, nor does its rollback', async () => {
      const { submit, create, send, name } = domain()
      const thing = (type: string) => ({ object: { no: { type, unique: true }, title: 'string' } })
      await submit(thing('autoincrement'))
      for (const no of [1, 2]) expect((await create({ title: 'x' })).no).toBe(no)
      await submit(thing('integer'))
      await create({ no: 5 })
      await submit(thing('autoincrement'), {}, LOSSY)
      expect((await create({ title: 'x' })).no).toBe(6)

      await submit(thing('integer'))
      await create({ no: 9 })
      expect((await send('POST', `/api/v1/domains/${name}/rollback`, {})).status).toBe(200)
      expect((await create({ title: 'x' })).no).toBe(10)
    })

    describe('is refused', () => {
      const Tag = { object: { name: 'string' } }
      const tags = { type: 'belongsToMany', target: 'Tag' }
      const object = { title: 'string' }

      it.each<[string, Json, Json, string]>([
        [
          'two relationships share a junction',
          { object, relationships: { tags, labels: tags } },
          { Tag },
          'in the same table',
        ],
        [
          'junctions of other resources share a table',
          {
            object,
            relationships: { tags: { ...tags, through: 'Link', foreignKey: 'aId', otherKey: 'bId' } },
          },
          {
            Tag: {
              ...Tag,
              relationships: { tags: { ...tags, through: 'Link', foreignKey: 'aId', otherKey: 'bId' } },
            },
          },
          'declares the same table otherwise',
        ],
        [
          'a junction would be the table of a resource',
          { object, relationships: { tags } },
          { Tag, TagThing: Tag },
          "that of 'TagThing'",
        ],
        ['two resources share a table', { object }, { THING: { object } }, 'would share the table'],
        [
          'two indexes share a name',
          {
            object: { a: 'string', b: 'string' },
            indexes: [{ fields: ['a'], name: 'b' }, { fields: ['b'] }],
          },
          {},
          'the same name',
        ],
      ])('when %s', async (_, thing, resources, said) => {
        const { status, body } = await domain().submit(thing, { resources })
        expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
        expect(JSON.stringify(body.errors)).toContain(said)
      })

      it('when two domains lead to one table', async () => {
        const { name, send } = domain()
        const of = (domainName: string, resource: string) =>
          JSON.stringify({
            domain: { name: domainName, version: '1', resources: { [resource]: { object } } },
          })
        expect((await send('POST', '/api/v1/domains', { content: of(`${name}-x`, 'Post') })).status).toBe(201)
        const { status, body } = await send('POST', '/api/v1/domains', { content: of(name, 'XPost') })
        expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
        expect(body.errors[0]).toMatchObject({ path: 'domain.resources.XPost' })
        expect(body.errors[0].message).toContain(`${name}_x_post`)
      })
    })
  })
}
