import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { BASE, useWorkroom } from './workroom.ts'

const SHOP = `
domain:
  name: shop
  version: '7'
  config: { currency: GBP, place: Bath }
  resources:
    Order:
      object:
        number: { type: string, required: true }
        total: money
        secret: string
        phone: string
        owner: string
        deletedAt: datetime
        status: { type: string, default: open }
      features: { softDelete: true }
      relationships: { lines: { type: hasMany, target: Line, foreignKey: orderId } }
      permissions:
        list: [admin, clerk, guest]
        get: [admin, clerk, guest]
        create: [admin]
        update: [admin]
        delete: [admin]
        fields: { secret: { read: [admin] }, phone: { read: [admin, clerk], mask: true } }
      history: { events: { made: { on: create, label: 'Made {number}', capture: [number] } } }
    Line:
      object:
        orderId: { type: uuid, required: true }
        title: string
        price: money
        cost: money
      relationships: { order: { type: belongsTo, target: Order, foreignKey: orderId } }
      permissions: { list: [admin, clerk], get: [admin, clerk], create: [admin], update: [admin], delete: [admin], fields: { cost: { read: [admin] } } }
  documentStorage: { path: papers/orders }
  templates:
    slip:
      label: Slip
      format: markdown
      permissions: { generate: [admin, clerk, guest], view: [admin, clerk] }
      data: { order: { record: Order } }
      filename: 'Slip {number}: copy'
      body: |
        No. {number} of {order.number}, {total | money}, {secret | default: 'none'}, {phone}, {config.place}, {domain.name} {template.name}
    listed:
      format: markdown
      permissions: { generate: [admin, clerk, guest] }
      parameters:
        - { name: least, type: integer, default: 2 }
        - { name: kind, enum: [a, b], optional: true }
        - { name: day, type: date, default: today() }
      data:
        order: { record: Order, include: [lines] }
        dear: { source: Line, filter: 'orderId == $record.id and price >= $params.least', sort: price desc }
        first: { source: Line, filter: 'orderId == order.id', sort: 'price', single: true }
        none: { source: Line, filter: "title == '$record'", single: true }
        two: { source: Line, filter: 'orderId == $record.id', sort: [price], limit: 2, include: order }
        fixed: { static: { by: [1, 2] } }
        twice: { computed: sum(dear.price) * 2 }
        past: { history: true }
      body: |
        {#each dear as line}{line.title}={line.price} {/each}|{first.title}|{none.title}|{#each two as one}{one.title}@{one.order.number} {/each}|{fixed.by}|{twice}|{#each past as entry}{entry.label} {/each}|{#each lines as one}{one.title}:{one.cost} {/each}|{least} {kind} {size(dear)}
    whole:
      format: markdown
      runAs: system
      permissions: { generate: [guest] }
      data: { order: { record: Order }, all: { source: Line, filter: orderId == $record.id, sort: price } }
      body: '{secret} {phone} {#each all as one}{one.cost} {/each}{user.name}'
    open:
      format: markdown
      condition: status == 'open'
      permissions: { generate: ['*'], view: [owner] }
      data: { order: { record: Order } }
      body: { en: 'Open', de: 'Offen {total | decimal}' }
    alone: { format: html, permissions: { generate: [admin, clerk] }, parameters: [{ name: word }], layout: { header: Top, footer: { right: 'Page {page}' } }, body: '# {word}' }
    paper: { permissions: { generate: [admin, clerk] }, layout: { pageSize: A5, margins: 10, footer: { center: '{page} of {pages}' } }, body: 'Łódź Москва €' }
    word: { format: docx, permissions: { generate: [admin, clerk] }, body: Hello }
    mine: { format: markdown, data: { order: { record: Order } }, permissions: { generate: "owner == user.id" }, body: x }
    wide: { format: markdown, permissions: { generate: [admin] }, data: { all: { source: Line } }, body: '{size(all)}' }
    closed: { format: markdown, body: x }
`
const told = ({ status, body }: any) => [
  status,
  body?.error_code,
  ...(body?.errors ?? []).map(({ field, rule }: any) => `${field}: ${rule}`),
]
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

for (const store of STORES) {
  describe(`documents by hand on ${store.name}`, () => {
    const room = useWorkroom(store, SHOP)
    const clerk = async (name = 'clara') => (await room().account(name, ['clerk'])).token
    const guest = async () => (await room().account('gus', ['guest'])).token
    const order = async (values: object = {}) => {
      const id = await room().record('orders', {
        number: 'A1',
        total: 5,
        secret: 's',
        phone: '+49301',
        ...values,
      })
      for (const [title, price] of [
        ['one', 1],
        ['two', 2],
        ['three', 3],
      ] as const)
        await room().record('lines', { orderId: id, title, price, cost: price * 10 })
      return id
    }
    const ask = (template: string, asked: object | undefined, token: string | undefined, what = 'generate') =>
      room().send('POST', `${BASE}/templates/${template}/${what}`, token, asked)

    it('C6.5: refuses what is wrong with a request before anything is made', async () => {
      const id = await order()
      const token = await clerk()
      expect(told(await ask('nothing', {}, token))).toEqual([404, 'NOT_FOUND'])
      expect(told(await ask('slip', { recordId: id }, undefined))).toEqual([401, 'UNAUTHORIZED'])
      expect(told(await ask('closed', {}, token))).toEqual([403, 'FORBIDDEN'])
      expect(told(await ask('slip', {}, token))).toEqual([422, 'VALIDATION_ERROR', 'recordId: required'])
      expect(told(await ask('slip', { recordId: {} }, token))).toEqual([
        422,
        'VALIDATION_ERROR',
        'recordId: type',
      ])
      expect(told(await ask('paper', { recordId: id }, token))).toEqual([
        422,
        'VALIDATION_ERROR',
        'recordId: unknown',
      ])
      expect(told(await ask('alone', { other: 1 }, token))).toEqual([
        422,
        'VALIDATION_ERROR',
        'other: unknown',
        'word: required',
      ])
      const wrong = { recordId: id, least: 'x', kind: 'c', day: '2026-02-30', locale: 7 }
      expect(told(await ask('listed', wrong, token))).toEqual([
        422,
        'VALIDATION_ERROR',
        expect.stringContaining('least: '),
        'kind: enum',
        expect.stringContaining('day: '),
        'locale: format',
      ])
      const gone = '01900000-0000-7000-8000-000000000000'
      expect(told(await ask('slip', { recordId: gone }, token))).toEqual([404, 'NOT_FOUND'])
      expect(told(await ask('slip', { recordId: 'x' }, token))).toEqual([404, 'NOT_FOUND'])
      const { token: nobody } = await room().account('nobody')
      expect(told(await ask('open', { recordId: id }, nobody))).toEqual([403, 'FORBIDDEN'])
      const shut = await order({ status: 'shut' })
      expect(told(await ask('open', { recordId: shut }, token))).toEqual([409, 'CONFLICT'])
      const { id: owner, token: hers } = await room().account('hera', ['clerk'])
      expect(told(await ask('mine', { recordId: id }, hers))).toEqual([403, 'FORBIDDEN'])
      expect((await ask('mine', { recordId: await order({ owner }) }, hers)).status).toBe(201)
    })

    it('C6.3, C6.4: holds what its caller may see, and nothing else', async () => {
      const id = await order()
      const asked = { recordId: id }
      const { admin } = room().server
      expect(await room().preview('slip', asked, admin)).toMatch(/No\\?\. A1 of A1, £5\.00, s, /)
      expect(await room().preview('slip', asked, await clerk())).toContain('none,')
      expect((await room().preview('slip', asked, await guest())).replaceAll('\\', '')).toContain(
        'none, ***, Bath, shop slip',
      )
      const [dear, first, none, two, fixed, twice, past, lines, rest] = (
        await room().preview('listed', asked, await clerk())
      )
        .replaceAll('\\', '')
        .trim()
        .split('|')
      expect([dear, first, none, two, fixed]).toEqual(['three=3 two=2 ', 'one', '', 'one@A1 two@A1 ', '1, 2'])
      expect([twice, past, rest]).toEqual(['10', 'Made A1 ', '2  2'])
      expect(lines?.split(' ').toSorted().join(' ').trim()).toBe('one: three: two:')
      expect(await room().preview('listed', { ...asked, least: 3, kind: 'a' }, admin)).toMatch(
        /three=3 .*one:10.*3 a 1/,
      )
      // A source that may not be listed is no empty list.
      expect(told(await ask('listed', asked, await guest()))).toEqual([403, 'FORBIDDEN'])
      expect((await room().preview('whole', asked, await guest())).replaceAll('\\', '')).toMatch(
        /^s \+49301 10 20 30 /,
      )
    })

    it('C6.1, C6.8: speaks the locale that was asked for', async () => {
      const id = await order({ total: 1234.5 })
      expect(await room().preview('open', { recordId: id, locale: 'de' })).toContain('Offen 1.234,50')
      expect(await room().preview('open', { recordId: id, locale: 'fr' })).toContain('Open')
      const path = `${BASE}/templates/open/preview`
      const headers = { 'accept-language': 'de' }
      const { bytes } = await room().send('POST', path, room().server.admin, { recordId: id }, { headers })
      expect(bytes.toString()).toContain('Offen')
    })

    it('[2.9] C6.5: who asks again with the same key gets the document that was kept', async () => {
      const token = await clerk()
      const more = { headers: { 'idempotency-key': 'once' } }
      const make = (word: string) =>
        room().send('POST', `${BASE}/templates/alone/generate`, token, { word }, more)
      const [first, again, other] = [await make('a'), await make('a'), await make('b')]
      expect([first.status, again.status]).toEqual([201, 201])
      expect(again.body.data).toEqual(first.body.data)
      expect(again.headers.get('location')).toBe(first.headers.get('location'))
      expect(told(other)).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
      const { body } = await room().send('GET', `${BASE}/documents?template=alone`, token)
      expect(body.data.items.filter(({ id }: any) => id === first.body.data.id)).toHaveLength(1)
      expect(body.data.items).toHaveLength(1)
    })

    it('C6.5, C7.2, C7.4: keeps a document, and gives it out under conditions and in ranges', async () => {
      const id = await order()
      const token = await clerk()
      const heard: any[] = []
      const off = room().server.kernel.bus.on(
        'svc.shop.documents.generated' as never,
        (event: any) => void heard.push(event),
      )
      const { status, headers, body } = await ask('slip', { recordId: id, locale: 'en' }, token)
      off()
      expect(status).toBe(201)
      const { data } = body
      expect(headers.get('location')).toBe(`${BASE}/documents/${data.id}`)
      expect(data).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        templateName: 'slip',
        templateVersion: '7',
        resource: 'Order',
        recordId: id,
        filename: 'Slip A1- copy.md',
        format: 'markdown',
        storagePath: `papers/orders/slip-${data.id}.md`,
        fileSize: expect.any(Number),
        generatedBy: (await room().account('clara')).id,
        generatedAt: expect.stringMatching(/Z$/),
        metadata: {
          checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
          templateChecksum: expect.stringMatching(/^[0-9a-f]{64}$/),
          parameters: {},
          locale: 'en',
          trigger: 'manual',
        },
      })
      expect(heard).toMatchObject([{ id: data.id, domain: 'shop', document: { templateName: 'slip' } }])
      const path = `${BASE}/documents/${data.id}`
      expect((await room().send('GET', path, token)).body.data).toEqual(data)
      const whole = await room().send('GET', `${path}/download`, token)
      expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
      expect([whole.bytes.length, sha256(whole.bytes)]).toEqual([data.fileSize, data.metadata.checksum])
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'content-disposition': expect.stringContaining('filename="Slip A1- copy.md"'),
        'accept-ranges': 'bytes',
      })
      const again = { headers: { 'if-none-match': whole.headers.get('etag')! } }
      expect((await room().send('GET', `${path}/download`, token, undefined, again)).status).toBe(304)
      const part = await room().send('GET', `${path}/download`, token, undefined, {
        headers: { range: 'bytes=0-1' },
      })
      expect([part.status, part.bytes.toString()]).toEqual([206, 'No'])
      const beyond = { headers: { range: `bytes=${data.fileSize}-` } }
      expect((await room().send('GET', `${path}/download`, token, undefined, beyond)).status).toBe(416)
      // C7.1: nothing of it is found among the files.
      expect(room().place.keys()).toContain(data.storagePath)
      expect((await room().send('GET', `/api/v1/files/${data.storagePath}`, token)).status).toBe(404)
    })

    it('C6.11, C6.12: makes every format', async () => {
      const token = await clerk()
      const html = await ask('alone', { word: '<b>&*x*' }, token, 'preview')
      expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(html.headers.get('content-disposition')).toMatch(/^attachment; filename="alone-/)
      expect(html.bytes.toString()).toMatch(
        /<h1[^>]*>&#x3C;b>&#x26;\*x\*<\/h1>|<h1[^>]*>&lt;b>&amp;\*x\*<\/h1>/,
      )
      expect(html.bytes.toString()).toContain('Top')
      const pdf = await ask('paper', undefined, token, 'preview')
      expect([pdf.status, pdf.bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-'])
      const word = await ask('word', {}, token)
      expect([word.status, word.body.data.format]).toEqual([201, 'docx'])
      expect(word.body.data.filename).toMatch(/^word-.*\.docx$/)
    })

    it('C6.6: shows the templates that a caller may generate or view', async () => {
      const token = await clerk()
      const list = async (by: string | undefined) => {
        const { status, body } = await room().send('GET', `${BASE}/templates`, by)
        return status === 200 ? body.data.items.map(({ name }: any) => name) : status
      }
      expect(await list(room().server.admin)).toContain('closed')
      expect(await list(token)).toEqual(['slip', 'listed', 'open', 'alone', 'paper', 'word', 'mine'])
      expect(await list(undefined)).toEqual(['open'])
      const { body } = await room().send('GET', `${BASE}/templates/slip`, token)
      expect(body.data).toMatchObject({
        name: 'slip',
        label: 'Slip',
        resource: 'Order',
        format: 'markdown',
        trigger: 'manual',
        parameters: [],
        permissions: { generate: ['admin', 'clerk', 'guest'], view: ['admin', 'clerk'] },
        filename: 'Slip {number}: copy',
        body: expect.stringContaining('{order.number}'),
      })
      expect(told(await room().send('GET', `${BASE}/templates/closed`, token))).toEqual([403, 'FORBIDDEN'])
      expect(told(await room().send('GET', `${BASE}/templates/none`, token))).toEqual([404, 'NOT_FOUND'])
    })
  })

  describe(`generated documents on ${store.name}`, () => {
    const room = useWorkroom(store, SHOP)
    const list = async (query: string, token: string) => {
      const { status, body } = await room().send('GET', `${BASE}/documents${query}`, token)
      return status === 200 ? body.data.items.map(({ filename }: any) => filename) : [status, body.error_code]
    }

    it('C7.3, C7.5: lists and shows those that a caller may view, also once the record is gone', async () => {
      const { admin } = room().server
      const { token: clara } = await room().account('clara', ['clerk'])
      const { token: gus } = await room().account('gus', ['guest'])
      const { id: hera, token: hers } = await room().account('hera', ['clerk'])
      const first = await room().record('orders', { number: 'A1' })
      const second = await room().record('orders', { number: 'A2', owner: hera })
      const one = await room().generate('slip', { recordId: first }, gus)
      await room().generate('slip', { recordId: second }, clara)
      const word = await room().generate('alone', { word: 'x' }, clara)
      expect(await list('?sort=generatedAt&template=slip', admin)).toEqual([
        'Slip A1- copy.md',
        'Slip A2- copy.md',
      ])
      expect(await list('', admin)).toHaveLength(3)
      expect(await list(`?recordId=${first}&resource=Order`, clara)).toEqual(['Slip A1- copy.md'])
      expect(await list('?format=html', clara)).toEqual([word.filename])
      expect(await list(`?after=${word.generatedAt}`, clara)).toEqual([])
      expect(await list('?before=2001-01-01', clara)).toEqual([])
      expect(await list('?templateVersion=7&limit=1', clara)).toHaveLength(1)
      expect(await list('?after=yesterday', clara)).toEqual([400, 'INVALID_QUERY'])
      for (const time of ['before=9999-12-31T23:59:59-23:59', 'after=0000-01-01', 'before=2026-02-30'])
        expect(await list(`?${time}`, clara)).toEqual([400, 'INVALID_QUERY'])
      expect(await list('?sort=secret', clara)).toEqual([400, 'INVALID_QUERY'])
      const { body: listed } = await room().send('GET', `${BASE}/documents`, clara)
      expect(listed.data.meta.per_page).toBe(50)
      // Who may generate and not view sees nothing of it afterwards.
      expect(await list('', gus)).toEqual([])
      const path = `${BASE}/documents/${one.id}`
      expect(told(await room().send('GET', path, gus))).toEqual([403, 'FORBIDDEN'])
      expect(told(await room().send('GET', `${path}/download`, gus))).toEqual([403, 'FORBIDDEN'])
      expect(told(await room().send('GET', path, undefined))).toEqual([401, 'UNAUTHORIZED'])
      expect(told(await room().send('GET', `${BASE}/documents/x`, admin))).toEqual([404, 'NOT_FOUND'])
      await room().send('DELETE', `${BASE}/orders/${first}`, admin)
      expect((await room().send('GET', path, clara)).status).toBe(200)
      expect(await list(`?recordId=${first}`, clara)).toEqual(['Slip A1- copy.md'])
      expect(await list('?template=open', hers)).toEqual([])
    })

    it('C7.6: admins delete a document with its bytes', async () => {
      const { admin } = room().server
      const { token } = await room().account('dora', ['clerk'])
      const document = await room().generate('alone', { word: 'bye' }, token)
      const path = `${BASE}/documents/${document.id}`
      expect(told(await room().send('DELETE', path, token))).toEqual([403, 'FORBIDDEN'])
      expect((await room().send('DELETE', path, admin)).status).toBe(204)
      expect(told(await room().send('DELETE', path, admin))).toEqual([404, 'NOT_FOUND'])
      expect(told(await room().send('GET', `${path}/download`, admin))).toEqual([404, 'NOT_FOUND'])
      await expect.poll(() => room().place.keys()).not.toContain(document.storagePath)
    })

    it('C7.1: with the file store out of reach nothing is kept', async () => {
      const { admin } = room().server
      const before = await list('?limit=100', admin)
      await room().place.takeAway()
      try {
        const answer = await room().send('POST', `${BASE}/templates/alone/generate`, admin, { word: 'x' })
        expect(told(answer)).toEqual([503, 'UNAVAILABLE'])
      } finally {
        await room().place.bringBack()
      }
      expect(await list('?limit=100', admin)).toEqual(before)
    })

    it('C6.3: more rows than 10,000 are refused, and never cut', async () => {
      const { admin } = room().server
      const orderId = await room().record('orders', { number: 'A9' })
      const add = async (count: number) => {
        const items = Array.from({ length: count }, () => ({ orderId, title: 'x' }))
        const { status } = await room().send('POST', `${BASE}/lines/bulk`, admin, { items })
        expect(status).toBeLessThan(300)
      }
      for (let at = 0; at < 20; at++) await add(500)
      expect(await room().preview('wide', {})).toContain('10000')
      await add(1)
      const { status, body } = await room().send('POST', `${BASE}/templates/wide/preview`, admin, {})
      expect([status, body.error_code]).toEqual([422, 'RENDER_FAILED'])
    }, 120_000)

    it('C7.7: the actions are told of, and documents outlive their templates for admins', async () => {
      const { admin } = room().server
      const { token } = await room().account('emma', ['clerk'])
      const { body } = await room().send('GET', '/api/v1/domains/shop/openapi.json', undefined)
      const paths = Object.keys(body.paths).filter((path) => /templates|documents/.test(path))
      expect(paths.toSorted()).toEqual(
        [
          'templates',
          'templates/{name}',
          'templates/{name}/generate',
          'templates/{name}/preview',
          'documents',
          'documents/{id}',
          'documents/{id}/download',
        ]
          .map((path) => `${BASE}/${path}`)
          .toSorted(),
      )
      const document = await room().generate('alone', { word: 'old' }, token)
      await room().server.submit(SHOP.replace(/  templates:[^]*$/, '').replace("'7'", "'8'"))
      const path = `${BASE}/documents/${document.id}`
      expect(told(await room().send('GET', path, token))).toEqual([403, 'FORBIDDEN'])
      expect((await room().send('GET', path, admin)).body.data).toEqual(document)
      expect((await room().send('GET', `${path}/download`, admin)).bytes.toString()).toContain('old')
      expect((await room().send('GET', `${BASE}/templates`, admin)).status).toBe(404)
      await room().server.submit(SHOP.replace(/  documentStorage:[^]*$/, '').replace("'7'", "'9'"))
      expect((await room().send('GET', path, admin)).status).toBe(404)
    })

    it('C7.1: past its retention a document goes with its bytes', async () => {
      const { server, place } = room()
      await server.submit(SHOP.replace("'7'", "'10'"))
      const document = await room().generate('alone', { word: 'x' })
      server.clock.advance(2 * 86_400_000)
      const { token } = await room().account('late', ['admin'])
      const young = await room().generate('alone', { word: 'y' }, token)
      const content = SHOP.replace(
        '{ path: papers/orders }',
        '{ path: papers/orders, retention: { days: 1 } }',
      )
      expect((await room().send('POST', '/api/v1/domains', token, { content })).status).toBe(201)
      await expect.poll(() => place.keys()).not.toContain(document.storagePath)
      const status = async ({ id }: any) =>
        (await room().send('GET', `${BASE}/documents/${id}`, token)).status
      expect([await status(document), await status(young)]).toEqual([404, 200])
    })
  })
}
