import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Documented, type OpenApi, startDocumented } from '../openapi.testkit.ts'

const SHOP = `
domain:
  name: shop
  version: '2.1.0'
  description: A shop for tests
  api: { aliases: [/api/old-shop] }
  enums:
    Status:
      values:
        open: { label: { de: Offen, en: Open }, color: '#2563EB', description: Just came in }
        paid: { label: Paid }
        gone:
  resources:
    Customer:
      description: Somebody who buys
      object:
        name: { type: string, required: true, minLength: 2, maxLength: 60, label: Name }
        secret: { type: password, required: true, minLength: 12 }
        score: { type: integer, hidden: true }
        note: { type: text, hidden: true, requestable: true }
      relationships:
        orders: { type: hasMany, target: Order, foreignKey: customerId }
      permissions: { list: ['*'], get: [authenticated], create: [manager, admin], update: hasRole('manager') }
    Order:
      object:
        number: { type: integer, required: true, unique: true, immutable: true, min: 1 }
        status: { type: string, enum: Status, required: true }
        size: { type: string, enum: [small, large], default: small }
        total: { type: decimal, required: true, default: 0 }
        cost: money
        code: { type: string, pattern: '^[A-Z\\@]+$' }
        slug: { type: slug, from: code, required: true }
        key: { type: token, required: true }
        tags: { type: set, items: string }
        paid: { type: boolean, computed: total > 0 }
        createdAt: datetime
        changedAt: { type: datetime, autoNow: update }
        deletedAt: datetime
      relationships:
        customer: { type: belongsTo, target: Customer, required: true }
        seller: { type: belongsTo, target: User }
      stateMachine:
        field: status
        initial: open
        states:
          open: { transitions: { pay: { to: paid, description: Money came in } } }
          paid: { transitions: { close: { to: gone } } }
          gone: { final: true }
      scopes: { large: { filter: total > 100, description: Worth a call } }
      features: { softDelete: true, search: true }
      permissions:
        list: [authenticated]
        fields: { cost: { read: [manager], mask: true } }
    Note:
      object: { text: string }
      features: { validationMode: loose }
`

/** The data in the envelope of an answer with status 200. */
const answered = (of: {
  responses: Record<
    string,
    { content: Record<string, { schema: { allOf: { properties: { data: object } }[] } }> }
  >
}) => of.responses['200']!.content['application/json']!.schema.allOf[1]!.properties.data

describe('the document of a domain', () => {
  let server: Documented
  let shop: OpenApi
  const schemas = () => shop['components'].schemas
  const operation = (method: string, path: string) => shop['paths'][`/api/v1/shop${path}`][method]
  const names = (parameters: { name?: string; $ref?: string }[]) =>
    parameters.map(({ name, $ref }) => name ?? shop['components'].parameters[$ref!.split('/').at(-1)!].name)

  beforeAll(async () => {
    server = await startDocumented()
    await server.mount(SHOP)
    shop = await server.document('shop')
    return () => server.kernel.stop()
  })

  it('says whose it is, where it answers and how to sign in', () => {
    expect(shop).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'shop', version: '2.1.0', 'x-svc-version': '9.9.9' },
      servers: [{ url: '/' }],
      security: [{ bearerAuth: [] }],
      components: {
        securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    })
    expect(shop['info'].description).toContain('A shop for tests')
    expect(shop['tags']).toEqual([
      { name: 'Customer', description: 'Somebody who buys' },
      { name: 'Order', description: 'Order: its records, and what is done with them.' },
      { name: 'Note', description: 'Note: its records, and what is done with them.' },
    ])
  })

  it('documents each address once; those below an alias are named in the introduction', () => {
    expect(Object.keys(shop['paths']).every((path) => path.startsWith('/api/v1/shop/'))).toBe(true)
    expect(shop['info'].description).toContain('`/api/old-shop`')
  })

  it('has a record, an input, a patch and a list for each resource, and what all share', () => {
    const own = ['Customer', 'Order', 'Note'].flatMap((name) => [
      name,
      `${name}Input`,
      `${name}Patch`,
      `${name}List`,
    ])
    expect(Object.keys(schemas())).toEqual(
      expect.arrayContaining([...own, 'Envelope', 'ErrorEnvelope', 'PaginationMeta']),
    )
    expect(schemas()['NoteList']).toMatchObject({
      required: ['items', 'count'],
      properties: {
        items: {
          type: 'array',
          items: {
            allOf: [{ $ref: '#/components/schemas/Note' }, { $ref: '#/components/schemas/NoteRelated' }],
          },
        },
        count: { type: 'integer' },
        totalCount: { type: 'integer' },
        meta: { $ref: '#/components/schemas/PaginationMeta' },
      },
    })
  })

  it('describes fields by their type and their bounds', () => {
    expect(schemas()['Customer'].properties.name).toEqual({
      type: 'string',
      minLength: 2,
      maxLength: 60,
      title: 'Name',
    })
    expect(schemas()['Order'].properties.createdAt).toEqual({
      type: ['string', 'null'],
      format: 'date-time',
      readOnly: true,
    })
    expect(schemas()['Order'].properties.tags).toMatchObject({
      type: ['array', 'null'],
      items: { type: 'string' },
      uniqueItems: true,
    })
  })

  it('lets null pass where a field may be empty, among the values of an enumeration too', () => {
    expect(schemas()['Order'].properties.size).toMatchObject({
      type: ['string', 'null'],
      enum: ['small', 'large', null],
    })
    expect(schemas()['Order'].properties.number.type).toBe('integer')
    expect(schemas()['Order'].properties.customerId.type).toEqual(['string', 'null'])
    expect(schemas()['OrderInput'].properties.customerId.type).toBe('string')
  })

  it('says what the values of an enumeration mean', () => {
    expect(schemas()['Order'].properties.status).toMatchObject({
      enum: ['open', 'paid', 'gone'],
      'x-enum-labels': { open: 'Open', paid: 'Paid' },
      'x-enum-colors': { open: '#2563EB' },
      'x-enum-descriptions': { open: 'Just came in' },
    })
    expect(Object.keys(schemas()['Order'].properties.size).filter((key) => key.startsWith('x-'))).toEqual([])
  })

  it('keeps hidden fields out of every part, and tells of those that can be asked for', () => {
    expect(JSON.stringify(shop)).not.toContain('score')
    expect(schemas()['Customer'].properties.note.description).toContain('fields')
  })

  it('shows secrets in the input alone', () => {
    expect(schemas()['CustomerInput'].properties.secret).toMatchObject({ writeOnly: true, minLength: 12 })
    expect(schemas()['Customer'].properties).not.toHaveProperty('secret')
    expect(shop['components'].parameters).not.toHaveProperty('Customer.filter.secret')
  })

  it('shows what the service sets in the record alone', () => {
    for (const name of ['paid', 'createdAt', 'changedAt', 'deletedAt']) {
      expect(schemas()['Order'].properties[name].readOnly, name).toBe(true)
      expect(schemas()['OrderInput'].properties, name).not.toHaveProperty(name)
    }
  })

  it('requires of a create what nothing else provides', () => {
    expect(schemas()['OrderInput'].required).toEqual(['number', 'customerId'])
    expect(schemas()['CustomerInput'].required).toEqual(['name', 'secret'])
    expect(schemas()['NoteInput']).not.toHaveProperty('required')
  })

  it('tells a default in words: the keyword would make typed clients send the field each time', () => {
    expect(schemas()['OrderInput'].properties.size).toMatchObject({
      description: '`"small"` where it is absent.',
    })
    const inputs = Object.entries<object>(schemas()).filter(([name]) => /(Input|Patch)$/.test(name))
    expect(inputs.length).toBeGreaterThan(0)
    expect(JSON.stringify(inputs)).not.toContain('"default":')
  })

  it('says whose key a field holds', () => {
    expect(schemas()['OrderInput'].properties.customerId.description).toBe('The key of a `Customer`.')
    expect(schemas()['Order'].properties.sellerId.description).toBe('The id of an account.')
  })

  it('gives every input and every change an example, without what others may not write or know', () => {
    const { number, size, customerId, ...rest } = schemas()['OrderInput'].example
    expect({ number, size }).toEqual({ number: 1, size: 'small' })
    expect(customerId).toMatch(/^[0-9a-f-]{36}$/)
    for (const name of ['id', 'status', 'slug', 'key', 'sellerId', 'paid', 'createdAt'])
      expect(rest, name).not.toHaveProperty(name)
    expect(schemas()['CustomerInput'].example).toEqual({
      name: 'Example text',
      secret: 'Correct-horse-7',
      note: 'Example text',
    })
    expect(schemas()['OrderPatch'].example).not.toHaveProperty('number')
    expect(schemas()['OrderPatch'].example).toHaveProperty('size', 'small')
  })

  it('lets a change bring any field that can change', () => {
    expect(schemas()['OrderPatch']).not.toHaveProperty('required')
    expect(Object.keys(schemas()['OrderPatch'].properties)).not.toEqual(
      expect.arrayContaining(['number', 'id']),
    )
    expect(schemas()['OrderPatch'].properties).toHaveProperty('status')
  })

  it('closes an input unless the resource drops unknown fields, or has fields that are no business of the public', () => {
    expect(schemas()['OrderInput'].additionalProperties).toBe(false)
    expect(schemas()['NoteInput']).not.toHaveProperty('additionalProperties')
    expect(schemas()['CustomerInput']).not.toHaveProperty('additionalProperties')
  })

  it('tells of the mask in place of a value', () => {
    expect(schemas()['Order'].properties.cost.anyOf).toEqual([
      { type: ['number', 'null'], format: 'double' },
      expect.objectContaining({ const: '***' }),
    ])
  })

  it('shows what `include` embeds, in records that include nothing themselves', () => {
    const { customer, seller } = schemas()['OrderRelated'].properties
    expect(customer.anyOf).toEqual([{ $ref: '#/components/schemas/Customer' }, { type: 'null' }])
    expect(seller.anyOf[0]).toEqual({ $ref: '#/components/schemas/UserReference' })
    expect(schemas()['CustomerRelated'].properties.orders).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Order' },
    })
    expect(schemas()['Order'].properties).not.toHaveProperty('customer')
    expect(answered(operation('get', '/orders/{id}'))).toEqual({
      allOf: [{ $ref: '#/components/schemas/Order' }, { $ref: '#/components/schemas/OrderRelated' }],
    })
    expect(schemas()['OrderList'].properties.items.items.allOf).toContainEqual({
      $ref: '#/components/schemas/OrderRelated',
    })
  })

  it('shows what every record tells of its permissions when asked', () => {
    expect(schemas()['NoteRelated'].properties).toEqual({
      _permissions: { $ref: '#/components/schemas/RecordPermissions' },
    })
    expect(schemas()['OrderRelated'].properties).toHaveProperty('_permissions')
    expect(schemas()['RecordPermissions'].required).toEqual(['operations', 'transitions', 'writable'])
  })

  it('keeps a pattern that JSON Schema cannot read out of its way', () => {
    expect(schemas()['Order'].properties.code).toEqual({
      type: ['string', 'null'],
      'x-pattern': '^[A-Z\\@]+$',
    })
  })

  it('offers the shared parameters of a list, and each filter that a field has', () => {
    const { parameters } = operation('get', '/orders')
    expect(parameters.slice(0, 5)).toEqual(
      ['PageParam', 'LimitParam', 'OffsetParam', 'CursorParam', 'SortParam'].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    )
    const all = names(parameters)
    expect(all).toEqual(expect.arrayContaining(['search', 'include', 'scope', 'fields']))
    expect(all.filter((name) => name.startsWith('filter[total]'))).toEqual(
      ['', '[eq]', '[ne]', '[gt]', '[gte]', '[lt]', '[lte]', '[in]', '[null]'].map(
        (op) => `filter[total]${op}`,
      ),
    )
    expect(all.filter((name) => name.startsWith('filter[tags]'))).toEqual(['filter[tags][null]'])
    expect(all).not.toContain('filter[paid]')
    expect(shop['components'].parameters['Order.filter.size'].schema).toEqual({
      type: 'string',
      enum: ['small', 'large'],
    })
    expect(shop['components'].parameters['Order.filter.total.null'].schema).toEqual({ type: 'boolean' })
  })

  it('offers no search and no scope where the resource has none', () => {
    const all = names(operation('get', '/notes').parameters)
    expect(all).toEqual(expect.arrayContaining(['page', 'fields', 'filter[text][like]']))
    for (const name of ['search', 'scope']) expect(all).not.toContain(name)
  })

  it('names in words what can be sorted, included and chosen', () => {
    const { description } = operation('get', '/orders')
    expect(description).toContain('**Include:** `customer`, `seller`, `_permissions`.')
    expect(description).toMatch(/\*\*Sort by:\*\* `id`, `number`.*`total`/)
    expect(description).toContain('- `large`: Worth a call')
    expect(description).toContain('- `active` (unless you name another)')
  })

  it('counts with the filters of the list, and no pages', () => {
    const all = names(operation('get', '/orders/count').parameters)
    expect(all).toEqual(expect.arrayContaining(['search', 'filter[total][gte]']))
    expect(all).not.toContain('page')
  })

  it('documents what each operation takes and answers', () => {
    const body = (of: { requestBody: { content: object } }) => of.requestBody.content
    const schema = (name: string) => ({
      'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
    })
    expect(body(operation('post', '/orders'))).toEqual(schema('OrderInput'))
    expect(body(operation('patch', '/orders/{id}'))).toEqual(schema('OrderPatch'))
    expect(body(operation('put', '/orders/{id}'))).toEqual(schema('OrderInput'))
    expect(operation('delete', '/orders/{id}')).not.toHaveProperty('requestBody')
    expect(operation('get', '/orders/{id}').parameters[0]).toEqual({
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    })
    expect(operation('post', '/orders').responses['201'].content['application/json'].schema.allOf).toEqual([
      { $ref: '#/components/schemas/Envelope' },
      { type: 'object', required: ['data'], properties: { data: { $ref: '#/components/schemas/Order' } } },
    ])
    expect(operation('delete', '/orders/{id}').responses['204']).not.toHaveProperty('content')
  })

  it('lists the failures that an operation can have', () => {
    const statuses = (method: string, path: string) => Object.keys(operation(method, path).responses)
    expect(statuses('get', '/orders')).toEqual(['200', '400', '401', '403', '429', '500', '503'])
    expect(statuses('get', '/customers')).toEqual(['200', '400', '429', '500', '503'])
    expect(statuses('post', '/orders')).toEqual([
      '201',
      '400',
      '401',
      '403',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ])
    expect(statuses('delete', '/orders/{id}')).toEqual([
      '204',
      '401',
      '403',
      '404',
      '409',
      '412',
      '429',
      '500',
      '503',
    ])
    expect(operation('post', '/orders').responses['409']).toEqual({ $ref: '#/components/responses/Conflict' })
  })

  it('says who may, and frees public operations of the token', () => {
    expect(operation('get', '/customers').security).toEqual([])
    expect(operation('get', '/orders')).not.toHaveProperty('security')
    expect(operation('post', '/customers').description).toContain('**Open to** `manager`, `admin`.')
    expect(operation('patch', '/customers/{id}').description).toContain('the record decides')
  })
})

describe('further operations', () => {
  /** The document's part on one action of a plugin that serves records of the shop. */
  const around = async (resource: string, operation: string, action: Partial<Action>) => {
    const record = { domain: 'shop', resource, operation }
    const server = await startDocumented([
      defineAction({
        name: `svc.shop.plugin.${operation}`,
        access: ['manager'],
        handle: () => null,
        ...action,
        notes: { domain: 'shop', record },
      }),
    ])
    onTestFinished(() => server.kernel.stop())
    await server.mount(SHOP)
    const document = await server.document('shop')
    const [method, path] = action.routes![0]!.split(' ')
    return document['paths'][path!.replace(/:(\w+)/g, '{$1}')][method!.toLowerCase()]
  }
  it('tell of a transition where it leads and what it takes', async () => {
    const pay = await around('Order', 'pay', { routes: ['POST /api/v1/shop/plugin/:id/transitions/pay'] })
    expect(pay.description).toContain('- `open` → `paid`: Money came in')
    expect(pay.requestBody).toMatchObject({ required: false })
    expect(answered(pay)).toEqual({ $ref: '#/components/schemas/Order' })
  })

  it('take the list of a relationship for a list of its target', async () => {
    const related = await around('Customer', 'orders', { routes: ['GET /api/v1/shop/plugin/:id/orders'] })
    expect(answered(related)).toEqual({ $ref: '#/components/schemas/OrderList' })
    expect(related.parameters).toContainEqual({ $ref: '#/components/parameters/Order.filter.total.gte' })
    expect(related.tags).toEqual(['Customer'])
  })

  it('are documented by route, input and key where nobody knows them', async () => {
    const odd = await around('Order', 'weigh', {
      summary: 'Weighs an order',
      routes: ['POST /api/v1/shop/plugin/:id/weight'],
      input: z.object({ id: z.string(), grams: z.int() }),
    })
    expect(odd).toMatchObject({
      operationId: 'svc.shop.plugin.weigh',
      summary: 'Weighs an order',
      parameters: [{ name: 'id', in: 'path', schema: { type: 'string', format: 'uuid' } }],
    })
    expect(odd.requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', properties: { grams: { type: 'integer' } }, required: ['grams'] },
        },
      },
    })
  })
})

describe('names', () => {
  const document = async (resources: string) => {
    const server = await startDocumented()
    onTestFinished(() => server.kernel.stop())
    await server.mount(`domain: { name: odd, version: '1', resources: { ${resources} } }`)
    return server.document('odd')
  }
  const fields = 'object: { text: string }'

  it('of resources win over those that are made for others', async () => {
    const { components } = await document(`Order: { ${fields} }, OrderInput: { object: { mark: string } }`)
    expect(components.schemas['OrderInput'].properties).toHaveProperty('mark')
    expect(components.schemas['OrderInput2'].properties).toHaveProperty('text')
  })

  it('that all documents share are not taken by a resource', async () => {
    const { components } = await document(`Envelope: { ${fields} }`)
    expect(components.schemas['Envelope'].properties).toHaveProperty('status')
    expect(components.schemas['Envelope2'].properties).toHaveProperty('text')
  })

  it('bear the domain in the document of the whole server', async () => {
    const server = await startDocumented()
    onTestFinished(() => server.kernel.stop())
    for (const name of ['one', 'two']) {
      await server.mount(`domain: { name: ${name}, version: '1', resources: { Order: { ${fields} } } }`)
    }
    const { components, paths, tags } = await server.document()
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['one.Order', 'two.OrderInput']))
    expect(components.schemas).not.toHaveProperty('Order')
    expect(paths['/api/v1/two/orders'].post.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/two.OrderInput',
    })
    expect(tags.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['one.Order', 'two.Order']),
    )
    expect(paths).toHaveProperty(['/api/v1/openapi.json'])
  })
})

describe('actions without a model', () => {
  const document = async (...actions: readonly Action[]) => {
    const server = await startDocumented(actions)
    onTestFinished(() => server.kernel.stop())
    const { paths, components } = await server.document()
    return { paths, components }
  }
  const made = (action: Partial<Action>): Action =>
    defineAction({ name: 'things.make', access: ['*'], handle: () => null, ...action })

  it('take bytes of their media types, beside the path and the query', async () => {
    const { paths } = await document(
      made({
        routes: ['POST /things/:name'],
        rawBody: { bytes: 1000, types: ['image/png', 'image/jpeg'] },
        input: z.strictObject({ name: z.string(), size: z.string().optional() }),
      }),
      made({ name: 'things.any', routes: ['POST /anything'], rawBody: { bytes: 5 } }),
    )
    const { post } = paths['/things/{name}']
    const schema = { type: 'string', format: 'binary', description: 'At most 1000 bytes' }
    expect(post.requestBody).toEqual({
      required: true,
      content: { 'image/png': { schema }, 'image/jpeg': { schema } },
    })
    expect(post.parameters.map(({ name, in: place }: { name: string; in: string }) => [name, place])).toEqual(
      [
        ['name', 'path'],
        ['size', 'query'],
      ],
    )
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['413', '415']))
    expect(Object.keys(paths['/anything'].post.requestBody.content)).toEqual(['*/*'])
  })

  it('take the file of a form, and answer bytes of which parts can be asked for', async () => {
    const { paths } = await document(
      made({ routes: ['POST /files'], rawBody: { bytes: 1000, types: ['multipart/form-data'] } }),
      made({
        name: 'things.read',
        routes: ['GET /files/*path'],
        notes: { direct: true, openapi: { type: '*/*', bytes: true } },
      }),
    )
    const { content } = paths['/files'].post.requestBody
    expect(content['multipart/form-data'].schema).toMatchObject({
      required: ['file'],
      properties: { file: { type: 'string', format: 'binary' } },
    })
    const { parameters, responses } = paths['/files/{path}'].get
    const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } }
    expect([responses[200].content, responses[206].content]).toEqual([bytes, bytes])
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['304', '416']))
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual(['path', 'Range'])
  })

  it('say which parameter is the rest of a path, and name it once where a parameter stands there too', async () => {
    const { paths } = await document(
      made({ name: 'things.file', routes: ['GET /things/:file'], summary: 'One' }),
      made({ name: 'things.rest', routes: ['GET /things/*path', 'GET /pages/*path'], summary: 'Rest' }),
    )
    expect(paths).not.toHaveProperty('/things/{path}')
    expect(paths['/things/{file}'].get.summary).toBe('One')
    expect(paths['/pages/{path}'].get.parameters).toEqual([
      {
        name: 'path',
        in: 'path',
        required: true,
        description:
          'The rest of the path: it may have several segments, whose slashes are sent as they are.',
        schema: { type: 'string' },
      },
    ])
  })

  it('take a body, and leave out what the path brings', async () => {
    const { paths } = await document(
      made({
        routes: ['PUT /things/:name'],
        input: z.strictObject({
          name: z.string().describe('Which'),
          size: z.int().min(1),
          note: z.string().optional(),
        }),
        output: z.strictObject({ done: z.literal(true) }),
      }),
    )
    const { put } = paths['/things/{name}']
    expect(put.parameters).toEqual([
      { name: 'name', in: 'path', required: true, description: 'Which', schema: { type: 'string' } },
    ])
    expect(put.requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { size: { type: 'integer', minimum: 1 }, note: { type: 'string' } },
            required: ['size'],
            additionalProperties: false,
          },
        },
      },
    })
    expect(put.responses['200'].content['application/json'].schema.allOf[1].properties.data).toMatchObject({
      properties: { done: { const: true } },
    })
  })

  it('may have a body that can be left away, or none at all', async () => {
    const { paths } = await document(
      made({ routes: ['POST /a'], input: z.strictObject({ note: z.string().optional() }) }),
      made({ name: 'things.b', routes: ['POST /b'], input: z.strictObject({}) }),
      made({ name: 'things.c', routes: ['DELETE /c'] }),
    )
    expect(paths['/a'].post.requestBody.required).toBe(false)
    expect(paths['/b'].post).not.toHaveProperty('requestBody')
    expect(paths['/c'].delete.responses).toHaveProperty('204')
  })

  it('take query parameters where they read', async () => {
    const { paths } = await document(
      made({
        routes: ['GET /a'],
        input: z.object({ limit: z.int().default(5).describe('Most'), q: z.string() }),
      }),
      made({ name: 'things.b', routes: ['GET /b'], notes: { query: ['search'] } }),
    )
    expect(paths['/a'].get.parameters).toEqual([
      { name: 'limit', in: 'query', description: 'Most', schema: { type: 'integer', default: 5 } },
      { name: 'q', in: 'query', required: true, schema: { type: 'string' } },
    ])
    expect(paths['/b'].get.parameters).toEqual([{ name: 'search', in: 'query', schema: { type: 'string' } }])
  })

  it('tell the defaults of a body in words', async () => {
    const { paths } = await document(
      made({
        routes: ['POST /a'],
        input: z.strictObject({
          size: z.int().default(5).describe('How large'),
          is: z.boolean().default(false),
        }),
      }),
    )
    const { properties } = paths['/a'].post.requestBody.content['application/json'].schema
    expect(properties).toEqual({
      size: { type: 'integer', description: 'How large\n\n`5` where it is absent.' },
      is: { type: 'boolean', description: '`false` where it is absent.' },
    })
  })

  it('may answer directly, with another status, or with another media type', async () => {
    const { paths } = await document(
      made({ routes: ['GET /a'], output: z.object({ up: z.boolean() }), notes: { direct: true } }),
      made({ name: 'things.b', routes: ['POST /b'], notes: { status: 201 } }),
      made({ name: 'things.c', routes: ['GET /c'], notes: { direct: true, openapi: { type: 'text/csv' } } }),
    )
    expect(paths['/a'].get.responses['200'].content['application/json'].schema.properties).toEqual({
      up: { type: 'boolean' },
    })
    expect(paths['/b'].post.responses).toHaveProperty('201')
    expect(paths['/c'].get.responses['200'].content).toEqual({ 'text/csv': { schema: { type: 'string' } } })
  })

  it('may be left out, and are where they are switched off', async () => {
    const { paths } = await document(
      made({ routes: ['GET /a'], notes: { openapi: false } }),
      made({ name: 'things.b', routes: ['GET /b'], enabled: () => false }),
    )
    expect(Object.keys(paths)).toEqual([
      '/api/v1/openapi.json',
      '/api/v1/domains/{domain}/openapi.json',
      '/api/v1/docs',
      '/',
    ])
  })

  it('bring the parts of recursive schemas along', async () => {
    const { paths, components } = await document(
      made({ routes: ['POST /a'], input: z.strictObject({ value: z.json() }) }),
    )
    const { value } = paths['/a'].post.requestBody.content['application/json'].schema.properties
    expect(value.$ref).toMatch(/^#\/components\/schemas\/things\.make\./)
    expect(components.schemas[value.$ref.split('/').at(-1)].anyOf).toBeDefined()
    expect(JSON.stringify(components.schemas)).not.toContain('$defs')
  })

  it('refer to a recursive input by a name', async () => {
    const input = z.strictObject({
      id: z.string(),
      get children() {
        return z.array(input).optional()
      },
    })
    const { paths, components } = await document(made({ routes: ['PUT /a/:id'], input, output: input }))
    const { properties } = paths['/a/{id}'].put.requestBody.content['application/json'].schema
    for (const { children } of [properties, components.schemas['things.make'].properties])
      expect(children.items.$ref).toBe('#/components/schemas/things.make')
  })

  it('share a path with others that name its parameters differently', async () => {
    const { paths } = await document(
      made({ routes: ['GET /things/:name'] }),
      made({
        name: 'things.b',
        routes: ['PUT /things/:id', 'PATCH /things/:id'],
        input: z.object({ id: z.uuid() }),
      }),
    )
    const { get, put, patch } = paths['/things/{name}']
    expect(Object.keys(paths).filter((path) => path.startsWith('/things'))).toEqual(['/things/{name}'])
    expect(put.parameters).toMatchObject([{ name: 'name', schema: { format: 'uuid' } }])
    expect([get, put, patch].map(({ operationId }) => operationId)).toEqual([
      'things.make',
      'things.b',
      'things.b2',
    ])
  })
})
