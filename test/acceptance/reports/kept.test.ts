import { errors, SYSTEM } from '@svc/kernel'
import { RenderCapability } from '@svc/render/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { pagesOf } from '../../kit/pdf.ts'
import { startSmtp, type TestSmtp } from '../../kit/smtp.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { BASE, useWorkroom } from '../documents/workroom.ts'
import { messages, STILL } from '../notifications/outbox.ts'

const DAY_MS = 86_400_000

const shop = (schedules: string, version = '1') => `
domain:
  name: shop
  version: '${version}'
  documentStorage: { path: papers, retention: { days: 3 } }
  resources:
    Order:
      object: { number: string, total: decimal, email: string }
      permissions: { list: [clerk], get: [clerk], create: [admin] }
  views:
    orders: { source: Order, columns: [number, total], sort: number }
  reports:
    sales:
      permissions: [clerk]
      header: 'From {minimum} on, of {kind}, {user.name}'
      parameters:
        - { name: minimum, type: decimal }
        - { name: kind, enum: [all, some], default: all }
        - { name: day, type: date, optional: true }
      sections:
        - metrics:
            - { label: Sum, value: "sum(Order.total, total >= minimum and (isNull(day) or kind == 'all'))" }
        - table: { view: orders, filter: total >= minimum }
    known:
      permissions: user.username == 'kim'
      sections:
        - table: { view: orders }
  schedules:
${schedules}
`
const SCHEDULES = `
    monthly:
      recurrence: every 3650 days
      action: report
      target: sales
      input: { minimum: '$(2 * 5)', day: '$now' }
      notification:
        channels: [email, log]
        recipients: { roles: [boss] }
        template: { subject: Sales, body: As every month }
    each:
      recurrence: every 3650 days
      source: { resource: Order, filter: number == 'A2' }
      action: report
      target: sales
      input: { minimum: $record.total }
      notification:
        channels: [email]
        recipients: { field: email }
        template: { subject: 'Sales from {total}', body: See there }
    unfit:
      recurrence: every 3650 days
      action: report
      target: sales
      input: { minimum: 1, kind: "$('none')" }
    known: { recurrence: every 3650 days, action: report, target: known }
`

for (const store of STORES) {
  describe(`reports that schedules keep on ${store.name}`, () => {
    let mail: TestSmtp
    const email: Record<string, unknown> = {
      enabled: true,
      smtp_host: '127.0.0.1',
      from_address: 'Shop <shop@example.org>',
      use_tls: false,
    }
    beforeAll(async () => {
      mail = await startSmtp()
      email['smtp_port'] = mail.port
    })
    afterAll(() => mail.stop())
    const room = useWorkroom(store, shop(SCHEDULES), {
      sections: { ...STILL, email },
    })
    const admin = () => room().server.admin
    const clerk = async () => (await room().account('clara', ['clerk'])).token
    beforeAll(async () => {
      await room().account('boss', ['boss'])
      await room().record('orders', { number: 'A1', total: 5 })
      await room().record('orders', { number: 'A2', total: 20, email: 'ann@example.org' })
      await room().record('orders', { number: 'A3', total: 30 })
    })
    const get = async (path: string, token = admin()) =>
      (await room().send('GET', `${BASE}/${path}`, token)).body.data
    const settle = async () => {
      for (let time = 0; time < 3; time += 1) {
        await room().tick()
        room().server.clock.advance(1500)
      }
    }
    const run = async (schedule: string) => {
      const { body } = await room().send('POST', `${BASE}/schedules/${schedule}/run`, admin(), {})
      await settle()
      return (await get(`schedules/firings?run=${body.data.run}`)).items[0]
    }
    const pages = async (bytes: Uint8Array) => (await pagesOf(bytes)).map(({ text }) => text).join('\n')
    const download = async (id: string, token: string) =>
      room().send('GET', `${BASE}/documents/${id}/download`, token)

    it('R9, A7: a schedule keeps the PDF of a report, made by the system with input as parameters', async () => {
      const fired = await run('monthly')
      expect(fired).toMatchObject({ status: 'fired', result: { documentId: expect.any(String) } })
      const id = fired.result.documentId
      const document = await get(`documents/${id}`, await clerk())
      expect(document).toMatchObject({
        id,
        templateName: 'report:sales',
        resource: null,
        recordId: null,
        format: 'pdf',
        filename: expect.stringMatching(/^sales-\d{4}-\d\d-\d\d\.pdf$/),
        generatedBy: null,
        metadata: { trigger: 'schedule:monthly', parameters: { kind: 'all' }, locale: 'en' },
      })
      expect(Number(document.metadata.parameters.minimum)).toBe(10)
      expect(document.metadata.parameters.day).toMatch(/^\d{4}-\d\d-\d\d$/)
      const { status, headers, bytes } = await download(id, await clerk())
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf'])
      const text = await pages(bytes)
      expect(text).toMatch(/From 10.* on, of all, system/)
      // Rows that only the clerk may list are there: the system has asked.
      expect(text).toMatch(/A2[^]*A3/)
      expect(text).not.toContain('A1')
    })

    it('R9, A7: mails of its notification carry the PDF, once it is made', async () => {
      const from = mail.received.length
      const fired = await run('monthly')
      const sent = mail.received.slice(from)
      expect(sent.map(({ mail: one }) => [one.subject, one.attachments.length])).toEqual([['Sales', 1]])
      const [file] = sent[0]!.mail.attachments
      expect(file!.mimeType).toBe('application/pdf')
      const { bytes } = await download(fired.result.documentId, await clerk())
      expect(Buffer.from(file!.content as ArrayBuffer).equals(bytes)).toBe(true)
      const entries = await messages(room().server, '?channel=email')
      expect(entries[0]).toMatchObject({ status: 'sent', attempts: 1, name: 'schedules.monthly' })
    })

    it('R9, A7: once for each record of the source, with values of it', async () => {
      const from = mail.received.length
      const fired = await run('each')
      const { metadata, recordId } = await get(`documents/${fired.result.documentId}`, await clerk())
      expect([Number(metadata.parameters.minimum), recordId]).toEqual([20, null])
      const [one] = mail.received.slice(from)
      expect([one!.mail.subject, one!.mail.attachments.length]).toEqual(['Sales from 20', 1])
    })

    it('R9: its documents are seen by those whom the permissions of the report let in, and nobody else', async () => {
      const { documentId: id } = (await run('monthly')).result
      const { documentId: other } = (await run('known')).result
      const kim = (await room().account('kim')).token
      const guest = (await room().account('guest', ['auditor'])).token
      const ids = async (token: string) => (await room().documents('', token)).map((one) => one.id)
      expect(await ids(await clerk())).toContain(id)
      expect(await ids(await clerk())).not.toContain(other)
      expect(await ids(kim)).toEqual([other])
      for (const [token, may] of [
        [await clerk(), [200, 403]],
        [kim, [403, 200]],
        [guest, [403, 403]],
        [undefined, [401, 401]],
      ] as const)
        for (const path of ['', '/download']) {
          const told = [id, other].map((one) => room().send('GET', `${BASE}/documents/${one}${path}`, token))
          expect((await Promise.all(told)).map(({ status }) => status)).toEqual(may)
        }
      expect(await ids(guest)).toEqual([])
    })

    it('R9, A7: a value that does not fit fails the firing, and nothing is kept', async () => {
      const before = (await room().documents('', await clerk())).length
      expect(await run('unfit')).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR' } })
      expect(await room().documents('', await clerk())).toHaveLength(before)
    })

    it.each([
      ['target: sale, input: { minimum: 1 }', 'target', "Did you mean 'sales'?"],
      ['target: sales, input: { minimum: 1, size: 2 }', 'input.size', 'There is no such parameter'],
      ['target: sales, input: { minimum: much }', 'input.minimum', ''],
      ['target: sales, input: { minimum: 1, kind: none }', 'input.kind', ''],
      ['target: sales', 'input.minimum', 'is required'],
    ])('R9, A7: PARSE_ERROR for %s', async (action, path, words) => {
      const content = shop(`    it: { recurrence: daily, action: report, ${action} }`, '2')
      const { status, body } = await room().send('POST', '/api/v1/domains', admin(), { content })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(body.errors).toMatchObject([{ path: `domain.schedules.it.${path}` }])
      expect(JSON.stringify(body.errors)).toContain(words)
    })

    it('R9, A7: one that cannot be rendered is a failure that the log tells, and mails go without it', async () => {
      const { server } = room()
      const from = mail.received.length
      const before = (await room().documents('', await clerk())).length
      const render = vi.spyOn(server.kernel.get(RenderCapability), 'render')
      render.mockRejectedValueOnce(errors.CONFLICT({ message: 'It is too large' }))
      const { status, result } = await run('monthly')
      render.mockRestore()
      expect(status).toBe('fired')
      expect((await download(result.documentId, await clerk())).status).toBe(404)
      const failed = server.log.filter(({ event }) => event === 'documents.generation_failed')
      expect(failed).toMatchObject([{ fields: { template: 'report:sales' } }])
      expect(mail.received.slice(from).map(({ mail: one }) => one.attachments.length)).toEqual([0])
      expect(await room().documents('', await clerk())).toHaveLength(before)
    })

    it('R9: documentStorage retires them', async () => {
      const { documentId: id } = (await run('monthly')).result
      room().server.clock.advance(4 * DAY_MS)
      await room().server.kernel.callAs(SYSTEM)('documents.sweep', {})
      const { token } = await room().account('late', ['clerk'])
      expect((await download(id, token)).status).toBe(404)
      expect(await room().documents('', token)).toEqual([])
    })
  })

  describe.each(['reports', 'documents'])(`without the plugin %s on ${store.name}`, (plugin) => {
    const server = useTestKernel({ store, without: [plugin] })

    it('A7: the action report is warned of at submit', async () => {
      const all = shop('    it: { recurrence: daily, action: report, target: sales, input: { minimum: 1 } }')
      const content =
        plugin === 'reports'
          ? all.replace(/\n {2}views:[^]*(?=\n {2}schedules:)/, '')
          : all.replace(/\n {2}documentStorage:.*/, '')
      const { status, body } = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content },
      })
      expect(status).toBe(201)
      expect(JSON.stringify(body.warnings)).toContain("no plugin of this server does 'report'")
    })
  })
}
