import { beforeAll, describe, expect, it } from 'vitest'
import { type Block, domainAction, type DomainBlock } from '@svc/domain/contract'
import { z } from 'zod'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { BOARD, boards, NONE, shop } from './boards.ts'
import { owning } from './plugin.ts'

const BOARD_PATH = '/api/v1/shop/boards'

for (const store of STORES) {
  describe(`the actions of a key of the domain on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [boards], definition: shop() })
    const tokens: Record<string, string> = {}
    const get = (path: string, token?: string) =>
      server().request('GET', path, { ...(token !== undefined && { token }) })
    const submit = (content: string) =>
      server().request('POST', '/api/v1/domains', { token: server().admin, body: { content } })

    beforeAll(async () => {
      for (const role of ['boss', 'editor']) tokens[role] = (await server().account(role, [role])).token
      for (const [name, price] of [
        ['pen', 7],
        ['ink', 20],
      ] as const)
        await server().request('POST', '/api/v1/shop/products', { body: { name, price, cost: 1 } })
    })

    it('answer at the prefix of the domain and at its aliases', async () => {
      for (const prefix of ['/api/v1/shop', '/api/v2/store']) {
        const { status, body } = await get(`${prefix}/boards/cheap?below=10`)
        expect(status).toBe(200)
        expect(body.data.rows).toMatchObject([{ name: 'pen', price: 7 }])
      }
    })

    it('read records as whoever asks', async () => {
      const [stranger, boss] = [
        await get(`${BOARD_PATH}/cheap`),
        await get(`${BOARD_PATH}/cheap`, tokens['boss']),
      ]
      expect(stranger.body.data.columns).toEqual(['name', 'price'])
      expect(boss.body.data.columns).toEqual(['name', 'price', 'cost'])
    })

    it('tell what a query asks for in vain, and refuse what cannot be read, as every list does', async () => {
      const { body } = await get(`${BOARD_PATH}/cheap?colour=red`)
      expect(JSON.stringify(body.warnings)).toContain('colour')
      expect(await get(`${BOARD_PATH}/cheap?page=x`)).toMatchObject({ status: 400 })
      expect(await get(`${BOARD_PATH}/dear`)).toMatchObject({ status: 404 })
    })

    it('are open to those whom they name', async () => {
      const ask = (token?: string) =>
        server().request('POST', `${BOARD_PATH}/cheap/news`, { body: { most: 1 }, ...(token && { token }) })
      expect(await ask()).toMatchObject({ status: 401 })
      expect(await ask(tokens['boss'])).toMatchObject({ status: 403 })
      expect(await ask(tokens['editor'])).toMatchObject({ status: 201, body: { data: { announced: 1 } } })
    })

    it('have their input checked', async () => {
      const { status, body } = await server().request('POST', `${BOARD_PATH}/cheap/news`, {
        token: tokens['editor']!,
        body: { most: 0 },
      })
      expect([status, body.errors[0].field]).toEqual([422, 'most'])
    })

    it('say who may run them, as every action does', () => {
      const own = server()
        .kernel.actions.list()
        .filter(({ name }) => name.startsWith('svc.shop.boards.'))
      expect(own.map(({ name, access }) => [name, access])).toEqual([
        ['svc.shop.boards.list', ['*']],
        ['svc.shop.boards.read', ['*']],
        ['svc.shop.boards.announce', ['editor']],
      ])
    })

    it('stand in the list of routes and in the request audit', async () => {
      const { body } = await get('/api/v1/routes', server().admin)
      const routes = JSON.stringify(body)
      expect(routes).toContain('/api/v1/shop/boards/:name')
      expect(routes).toContain('svc.shop.boards.read')
      await get(`${BOARD_PATH}/cheap`, tokens['boss'])
      const audit = await get('/api/v1/admin/audit?action=svc.shop.boards.read&limit=1', server().admin)
      expect(JSON.stringify(audit.body)).toContain('svc.shop.boards.read')
    })

    it('stand in the documents of the domain and of the server, with what they take and answer', async () => {
      for (const path of ['/api/v1/domains/shop/openapi.json', '/api/v1/openapi.json']) {
        const { body } = await get(path)
        const read = body.paths[`${BOARD_PATH}/{name}`].get
        expect(read.summary).toBe('Read a board')
        expect(read.parameters.map(({ name }: { name: string }) => name)).toEqual(['name', 'below'])
        expect(read.security).toEqual([])
        expect(Object.keys(read.responses)).toEqual(expect.arrayContaining(['200', '400', '404', '429']))
        expect(JSON.stringify(read.responses['200'])).toContain('#/components/schemas/BoardRows')
        expect(body.components.schemas.BoardRows).toEqual({ type: 'array', items: { type: 'object' } })
        const announce = body.paths[`${BOARD_PATH}/{name}/news`].post
        expect(announce.requestBody.content['application/json'].schema.properties).toHaveProperty('most')
        expect(announce.responses['201']).toBeDefined()
        expect(announce.description).toContain('`editor`')
        expect(body.paths).not.toHaveProperty('/api/v2/store/boards')
      }
    })

    it('say their share of the schema endpoint', async () => {
      const { body } = await get('/api/v1/domains/shop/schema')
      expect(body.data.boards).toEqual(['cheap'])
    })

    it('come, change and go with the definition', async () => {
      await server().submit(shop({ version: '2', more: BOARD.replace('cheap:', 'low:') }))
      expect(await get(`${BOARD_PATH}/cheap`)).toMatchObject({ status: 404 })
      expect(await get(`${BOARD_PATH}/low`)).toMatchObject({ status: 200 })
      await server().submit(shop({ version: '3', more: NONE }))
      expect(await get(BOARD_PATH)).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } })
      await server().submit(shop())
    })

    it('answer each request from one definition, while that is exchanged', async () => {
      const versions = [BOARD, BOARD.replace('columns: [name, price, cost]', 'columns: [price]')]
      const answers: unknown[] = []
      const asking = async () => {
        for (let at = 0; at < 20; at += 1) answers.push((await get(`${BOARD_PATH}/cheap`)).body.data?.columns)
      }
      for (let at = 0; at < 6; at += 1)
        await Promise.all([asking(), server().submit(shop({ version: `4.${at}`, more: versions[at % 2]! }))])
      expect(new Set(answers.map((one) => JSON.stringify(one)))).toEqual(
        new Set(['["name","price"]', '["price"]']),
      )
      await server().submit(shop())
    })

    it('[8.8] keep collections out of their way, where the domain has the key', async () => {
      const resources = `    Board: { object: { name: string }, permissions: { list: ['*'] } }\n`
      const { status, body } = await submit(shop({ version: '5', resources }))
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(body.errors[0]).toMatchObject({
        path: 'domain.resources.Board.api.path',
        message: expect.stringContaining("where the key 'boards' does"),
      })
      expect(JSON.stringify(body.errors[0])).toContain('api.path: /board-records')
      expect(await submit(shop({ version: '5', resources, more: NONE }))).toMatchObject({ status: 201 })
      const moved = resources.replace('permissions', 'api: { path: /board-records }, permissions')
      expect(await submit(shop({ version: '6', resources: moved }))).toMatchObject({ status: 201 })
      expect(await get('/api/v1/shop/board-records')).toMatchObject({ status: 200 })
      await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content: shop(), allow_destructive: true },
      })
    })

    it('[8.8] are not hidden by a collection below them', async () => {
      const resources = `    Note: { object: { name: string }, api: { path: /boards/cheap } }\n`
      const { status, body } = await submit(shop({ version: '7', resources }))
      expect([status, body.errors?.[0].path]).toEqual([422, 'domain.resources.Note.api.path'])
    })
  })
}

describe('what several keys say in a document', () => {
  const saying = (key: string, type: string): Block => ({
    on: 'domain',
    key,
    schema: z.unknown(),
    compile: () => ({
      actions: [{ name: 'get', summary: key, access: ['*'], routes: [`GET /${key}`], handle: () => null }],
      describe: () => ({
        openapi: {
          schemas: {
            Thing: { type },
            Things: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          },
          operations: {
            get: { answers: { description: 'All', data: { $ref: '#/components/schemas/Things' } } },
          },
        },
      }),
    }),
  })
  const server = useTestKernel({
    store: STORES[0]!,
    plugins: [owning(saying('one', 'string'), saying('two', 'string'), saying('three', 'number'))],
    definition: shop({ more: NONE }),
  })

  it('is one schema where it is the same, and another name where it is not', async () => {
    const { body } = await server().request('GET', '/api/v1/domains/shop/openapi.json')
    const { Thing, Thing2, Things, Things2 } = body.components.schemas
    expect([Thing, Thing2]).toEqual([{ type: 'string' }, { type: 'number' }])
    expect(Things.items.$ref).toBe('#/components/schemas/Thing')
    expect(Things2.items.$ref).toBe('#/components/schemas/Thing2')
    const answerOf = (key: string) =>
      JSON.stringify(body.paths[`/api/v1/shop/${key}`].get.responses['200'].content)
    for (const [key, name] of [
      ['one', 'Things'],
      ['two', 'Things'],
      ['three', 'Things2'],
    ] as const)
      expect(answerOf(key)).toContain(`#/components/schemas/${name}"`)
  })
})

for (const store of STORES) {
  describe(`an action of a key that takes bytes on ${store.name}`, () => {
    const drop: DomainBlock = {
      on: 'domain',
      key: 'drop',
      schema: z.unknown(),
      compile: (written) =>
        written === undefined
          ? undefined
          : {
              actions: [
                domainAction({
                  name: 'put',
                  summary: 'Drop something',
                  access: 'record',
                  routes: ['PUT /drop/*path'],
                  rawBody: { bytes: 10 },
                  async handle({ path, query }, call, data) {
                    const product = data.model.resources.get('Product')!
                    data.access(product, call.caller).assert('delete')
                    let size = 0
                    for await (const chunk of call.body) size += chunk.length
                    return { size, path, query }
                  },
                }),
              ],
            },
    }
    const server = useTestKernel({ store, plugins: [owning(drop)], definition: shop({ more: '  drop: {}' }) })
    const put = (token?: string, body = 'bytes') =>
      server().request('PUT', '/api/v2/store/drop/a/b.txt?as=text', {
        body,
        headers: { 'content-type': 'text/plain' },
        ...(token !== undefined && { token }),
      })

    it('has them as they come, up to so many', async () => {
      const { status, body } = await put(server().admin)
      expect([status, body.data]).toEqual([
        200,
        { size: 5, path: { path: 'a/b.txt' }, query: { as: 'text' } },
      ])
      expect(await put(server().admin, 'far more of them')).toMatchObject({ status: 413 })
    })

    it('decides by itself who may, with the rights that the engine knows', async () => {
      expect(await put()).toMatchObject({ status: 401 })
      const { token } = await server().account('somebody')
      expect(await put(token)).toMatchObject({ status: 403 })
    })

    it('[8.8] takes all paths below its own', async () => {
      const resources = `    Note: { object: { name: string }, api: { path: /drop/deep/notes } }\n`
      const { status, body } = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content: shop({ more: '  drop: {}', resources, version: '2' }) },
      })
      expect([status, body.errors?.[0].path]).toEqual([422, 'domain.resources.Note.api.path'])
    })
  })
}

describe('two keys that answer at one address', () => {
  const answering = (key: string): Block => ({
    on: 'domain',
    key,
    schema: z.unknown(),
    compile: () => ({
      actions: [{ name: 'get', summary: key, access: ['*'], routes: ['GET /same/:id'], handle: () => null }],
    }),
  })
  const server = useTestKernel({ store: STORES[0]!, plugins: [owning(answering('one'), answering('two'))] })

  it('are told when a definition is submitted', async () => {
    const { status, body } = await server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: shop({ more: NONE }) },
    })
    expect([status, body.errors[0].path]).toEqual([422, 'domain.two'])
    expect(body.errors[0].message).toContain("where 'svc.shop.one.get' does")
  })
})
