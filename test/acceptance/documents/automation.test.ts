import { describe, expect, it } from 'vitest'
import { createFolder } from '../../kit/server-process.ts'
import { STORES } from '../../kit/stores.ts'
import { STILL } from '../notifications/outbox.ts'
import { BASE, useWorkroom } from './workroom.ts'

const shop = (more: string) => `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { number: string, total: decimal, dueOn: datetime, deletedAt: datetime }
      features: { softDelete: true }
    Line: { object: { orderId: uuid, title: string } }
  templates:
    letter:
      format: markdown
      condition: total > 10
      parameters:
        - { name: word, type: string }
        - { name: day, type: date, default: '2026-01-01' }
        - { name: copies, type: integer, optional: true }
      data: { order: { record: Order } }
      filename: 'Letter {number}'
      body: '{number} {word} {day} {copies} {user.name}'
    list:
      format: markdown
      data: { all: { source: Order, sort: number } }
      body: '{all.number}'
${more}
`
const AUTOMATION = `
  workflows:
    write:
      trigger: { resource: Order, event: create }
      steps:
        letter: { action: template, target: letter, input: { word: '$record.number', day: '$now', copies: '$(1 + 1)' } }
        note: { action: create, target: Line, input: { title: '$steps.letter.result.documentId', orderId: $record.id } }
  schedules:
    each:
      recurrence: every 3650 days
      source: { resource: Order, filter: total > 1 }
      action: template
      target: letter
      input: { word: 'as {number}' }
    whole:
      recurrence: every 3650 days
      action: template
      target: list
    named:
      recurrence: every 3650 days
      source: { resource: Line }
      batched: false
      action: template
      target: letter
      recordId: $record.orderId
      input: { word: line }
`

for (const store of STORES) {
  describe(`the action template on ${store.name}`, () => {
    const scripts = createFolder()
    scripts.write(
      `on('svc.shop.line.created', async ({ record }, { call }) => {
  if (record.title === 'script')
    await call('svc.shop.templates.generate', { path: { name: 'letter' }, data: { recordId: record.orderId, word: 'script' } })
})
`,
      'letters.js',
    )
    const room = useWorkroom(store, shop(AUTOMATION), {
      sections: { ...STILL, scripting: { dir: scripts.path } },
    })
    const admin = () => room().server.admin
    const get = async (path: string) => (await room().send('GET', `${BASE}/${path}`, admin())).body.data
    const run = async (schedule: string) => {
      const { status, body } = await room().send('POST', `${BASE}/schedules/${schedule}/run`, admin(), {})
      expect(status).toBe(202)
      await room().tick()
      return (await get(`schedules/firings?run=${body.data.run}`)).items
    }
    const text = async (id: string) => (await room().text({ id })).trim().replaceAll('\\', '')

    it('A7, C6.2: a schedule generates a document for each record, with input as parameters', async () => {
      const id = await room().record('orders', { number: 'A1', total: 20 })
      await room().record('orders', { number: 'A2', total: 5 })
      const firings = await run('each')
      const [fired, failed] = [
        firings.find((one: any) => one.recordId === id),
        firings.find((one: any) => one.recordId !== id),
      ]
      expect(fired).toMatchObject({ status: 'fired', result: { documentId: expect.any(String) } })
      // What refuses somebody who asks by hand fails the firing.
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } })
      const document = await get(`documents/${fired.result.documentId}`)
      expect(document).toMatchObject({
        templateName: 'letter',
        recordId: id,
        filename: 'Letter A1.md',
        generatedBy: null,
        metadata: {
          trigger: 'schedule:each',
          parameters: { word: 'as A1', day: '2026-01-01', copies: null },
        },
      })
      expect(await text(document.id)).toBe('A1 as A1 2026-01-01  system')
    })

    it('A7: without a record, and for one that recordId names', async () => {
      const [whole] = await run('whole')
      expect(await text(whole.result.documentId)).toMatch(/A1, A2/)
      const orderId = await room().record('orders', { number: 'N1', total: 30 })
      await room().record('lines', { orderId, title: 'x' })
      const firings = await run('named')
      const made = firings.flatMap((one: any) => one.result?.documentId ?? [])
      expect(await Promise.all(made.map(text))).toContainEqual(expect.stringMatching(/^N1 line/))
    })

    it('C6.2: a step of a workflow generates a document, whose id is its result', async () => {
      const id = await room().record('orders', { number: 'W1', total: 20 })
      await room().tick()
      const { items } = await get(`documents?recordId=${id}`)
      expect(items).toMatchObject([
        { metadata: { trigger: 'workflow:write', parameters: { word: 'W1', copies: 2 } } },
      ])
      const instance = (await get(`workflows/instances?recordId=${id}`)).items[0]
      const { steps, status } = await get(`workflows/instances/${instance.id}`)
      expect([status, steps[0]]).toMatchObject([
        'completed',
        { name: 'letter', result: { documentId: items[0].id } },
      ])
      expect((await get('lines?limit=100')).items).toContainEqual(
        expect.objectContaining({ title: items[0].id }),
      )
    })

    it('A7, C6.5: a script generates by calling the action', async () => {
      const orderId = await room().record('orders', { number: 'S1', total: 20 })
      await room().record('lines', { orderId, title: 'script' })
      await expect
        .poll(
          async () =>
            (await get(`documents?recordId=${orderId}`)).items.map(
              ({ metadata }: any) => metadata.parameters.word,
            ),
          { timeout: 10_000 },
        )
        .toContain('script')
    })

    it('A1, A7: says at submit what cannot be', async () => {
      const source = 'source: { resource: Order }, '
      const refused = async (keys: string, more = '') => {
        const content = shop(`  schedules: { it: { recurrence: hourly, ${keys}, action: template } }${more}`)
        const { body } = await room().send('POST', '/api/v1/domains', admin(), { content })
        return (body.errors ?? body.data?.errors ?? []).map(({ path, message }: any) => `${path}: ${message}`)
      }
      for (const [keys, told] of [
        [`${source}target: leter`, /it\.target: there is no template 'leter'/],
        [
          `target: letter, input: { word: x }`,
          /it\.target: 'letter' is about records of 'Order', and none is at hand/,
        ],
        [`source: { resource: Line }, target: letter, input: { word: x }`, /it\.target: .*Order/],
        [`target: list, recordId: x`, /it\.recordId: 'list' is about no record/],
        [`${source}target: letter`, /it\.input\.word: /],
        [`${source}target: letter, input: { word: x, wrd: 1 }`, /it\.input\.wrd: /],
        [`${source}target: letter, input: { word: x, day: never }`, /it\.input\.day: /],
        [`${source}target: letter, input: { word: '{nothing}' }`, /it\.input\.word: /],
        [`${source}input: {}`, /it\.target: is missing/],
      ] as const)
        expect.soft(await refused(keys), keys).toEqual([expect.stringMatching(told)])
    })
  })
}
