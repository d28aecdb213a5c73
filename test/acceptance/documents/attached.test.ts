import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSmtp, type TestSmtp } from '../../kit/smtp.ts'
import { STORES } from '../../kit/stores.ts'
import { messages, STILL } from '../notifications/outbox.ts'
import { PNG } from '../files/desk.ts'
import { BASE, useWorkroom } from './workroom.ts'

const SHOP = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object:
        number: { type: string, required: true }
        total: { type: decimal }
        secret: string
        email: string
        paper: { type: media, accept: [.md, image/png] }
        papers: { type: media, maxItems: 2 }
        note: string
        long: text
        status: { type: string, enum: [open, closed] }
      stateMachine: { field: status, initial: open, states: { open: { transitions: { close: { to: closed } } }, closed: { final: true } } }
      permissions: { list: [admin, clerk], get: [admin, clerk], create: [admin], update: [admin], delete: [admin], fields: { secret: { read: [admin] } } }
    Line:
      object: { orderId: uuid, title: string, cost: integer }
      permissions: { list: [admin, clerk], get: [admin], fields: { cost: { read: [admin] } } }
  rules:
    strict: { trigger: { resource: Order, on: update }, condition: note == 'locked', action: reject, message: 'It is locked' }
  workflows:
    seen: { trigger: { resource: Order, event: fieldChange, field: paper }, steps: { note: { action: update, input: { note: seen } } } }
  templates:
    paper:
      format: markdown
      trigger: { resource: Order, event: update, condition: note == 'go' }
      permissions: { generate: [admin, clerk] }
      data: { order: { record: Order } }
      attachTo: paper
      filename: 'Paper {number}'
      body: 'Paper {number}'
    more: { format: markdown, data: { order: { record: Order } }, attachTo: papers, body: 'More {number}' }
    page: { format: html, data: { order: { record: Order } }, attachTo: papers, body: 'Page' }
    large:
      format: html
      data: { order: { record: Order }, copies: { static: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] } }
      body: '{#each copies}{long}{/each}'
      notification:
        channels: [email]
        recipients: { field: email }
        template: { subject: Large, body: '{document.filename}' }
    told:
      format: markdown
      trigger: { resource: Order, event: transition, transition: close }
      parameters: [{ name: day, default: Monday }]
      data:
        order: { record: Order }
        lines: { source: Line, filter: orderId == $record.id, sort: title }
        titles: { computed: "join(lines.title, '+')" }
        costs: { computed: sum(lines.cost) }
        twice: { computed: costs * 2 }
        fixed: { static: fixed }
      filename: 'Told {number}'
      body: 'Told {number} {secret}'
      notification:
        channels: [email, log]
        recipients: { roles: [clerk, boss], field: email }
        template:
          subject: 'Told {number}: {document.filename}'
          body: '{document.id} {total} [{secret}] [{order.secret}] [{titles}] [{costs}] [{twice}] [{#each lines as line}{line.title}:{line.cost};{/each}] {fixed} {$params.day}'
    bare:
      format: markdown
      data: { order: { record: Order } }
      body: x
      notification: { channels: [email], recipients: { field: email }, attach: false, template: { subject: Bare, body: b } }
`

for (const store of STORES) {
  describe(`documents that are attached and told of on ${store.name}`, () => {
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
    const room = useWorkroom(store, SHOP, { sections: { ...STILL, email } })
    const admin = () => room().server.admin
    const make = (values: object = {}) =>
      room().record('orders', { number: 'A1', total: 5, secret: 's3', ...values })
    const order = async (id: string) => (await room().send('GET', `${BASE}/orders/${id}`, admin())).body.data
    const patch = (id: string, values: object) =>
      room().send('PATCH', `${BASE}/orders/${id}`, admin(), values)
    const ask = (template: string, recordId: string, token = admin()) =>
      room().send('POST', `${BASE}/templates/${template}/generate`, token, { recordId })
    const item = async (id: string) => (await room().send('GET', `${BASE}/media/${id}`, admin())).body.data

    it('C6.15: a document is an item of media besides, and its id a value of the record', async () => {
      const id = await make()
      const { token } = await room().account('clara', ['clerk'])
      const document = await room().generate('paper', { recordId: id }, token)
      const { paper } = await order(id)
      expect(await item(paper)).toMatchObject({
        filename: 'Paper A1.md',
        mime_type: 'text/markdown',
        size: document.fileSize,
        created_by: (await room().account('clara')).id,
        references: [{ resource: 'Order', record_id: id, field_name: 'paper' }],
      })
      const { path } = await item(paper)
      expect((await room().send('GET', path, admin())).bytes.toString()).toBe(await room().text(document))
      // C7.6: the item stays when the document goes.
      expect((await room().send('DELETE', `${BASE}/documents/${document.id}`, admin())).status).toBe(204)
      expect((await order(id)).paper).toBe(paper)
      expect((await room().send('GET', path, admin())).status).toBe(200)
    })

    it('C6.15: a list takes it as its last', async () => {
      const id = await make()
      const { id: first } = await room().kept({
        path: `${BASE}/media/upload`,
        query: { filename: 'a.png', mime_type: 'image/png' },
        bytes: PNG,
        token: admin(),
      })
      await patch(id, { papers: [first] })
      await room().generate('more', { recordId: id })
      const { papers } = await order(id)
      expect(papers).toEqual([first, expect.any(String)])
      expect((await item(papers[1])).filename).toBe(`more-${id}.md`)
    })

    it('C6.15: what refuses the one refuses both', async () => {
      const id = await make()
      await room().generate('more', { recordId: id })
      await room().generate('more', { recordId: id })
      const before = room().place.keys().length
      const count = async () => (await room().documents(`?recordId=${id}`)).length
      const items = async () =>
        (await room().send('GET', `${BASE}/media?limit=1`, admin())).body.data.totalCount
      const known = await items()
      const full = await ask('more', id)
      expect([full.status, full.body.error_code]).toEqual([422, 'VALIDATION_ERROR'])
      // A file that the file store does not take.
      const page = await ask('page', id)
      expect([page.status, page.body.errors?.[0]?.rule]).toEqual([422, 'accept'])
      const locked = await make({ note: 'locked' })
      const refused = await ask('paper', locked)
      expect([refused.status, refused.body.error_code]).toEqual([422, 'RULE_VIOLATION'])
      expect([await count(), await items()]).toEqual([2, known])
      expect((await order(locked)).paper).toBe(null)
      await expect.poll(() => room().place.keys().length).toBe(before)
      // By an event it is final.
      const late = await make()
      await patch(late, { note: 'go' })
      await room().send('DELETE', `${BASE}/orders/${late}`, admin())
      await room().tick()
      const { body } = await room().send('GET', `${BASE}/templates/paper`, admin())
      expect(body.data.failures).toMatchObject({ last: { recordId: late, error_code: 'NOT_FOUND' } })
    })

    it('C6.15: by an event it is attached once, and that write sets off no template, but all else', async () => {
      const id = await make()
      await patch(id, { note: 'go' })
      await room().tick()
      await room().tick()
      const [first, ...more] = await room().documents(`?recordId=${id}`)
      expect([first.metadata.trigger, more]).toEqual(['update', []])
      // The workflow that waits for a paper has heard of it.
      expect(await order(id)).toMatchObject({ note: 'seen', paper: expect.any(String) })
    })

    it('C6.16: a notification is raised with the document, and a mail carries it', async () => {
      const { id: clerk } = await room().account('cleo', ['clerk'])
      expect(clerk).toBeDefined()
      await room().account('bob', ['boss', 'admin'])
      const id = await make({ email: 'ann@example.org' })
      for (const title of ['one', 'two']) await room().record('lines', { orderId: id, title, cost: 7 })
      const from = mail.received.length
      await room().send('POST', `${BASE}/orders/${id}/transitions/close`, admin(), {})
      await room().tick()
      const [document] = await room().documents(`?recordId=${id}`)
      const sent = mail.received.slice(from)
      const to = (address: string) => sent.find(({ recipients }) => recipients.includes(address))!.mail
      expect(sent.flatMap(({ recipients }) => recipients)).toEqual(
        expect.arrayContaining(['ann@example.org', 'cleo@example.org', 'bob@example.org']),
      )
      for (const { mail: one } of sent) {
        expect(one.subject).toBe('Told A1: Told A1.md')
        expect(one.attachments).toHaveLength(1)
        const [file] = one.attachments
        expect([file!.filename, file!.mimeType]).toEqual(['Told A1.md', 'text/markdown'])
        expect(Buffer.from(file!.content as ArrayBuffer).toString()).toBe(await room().text(document))
      }
      // A6: each reader is told what an answer would show.
      expect(to('bob@example.org').text).toContain(
        `${document.id} 5 [s3] [s3] [one+two] [14] [28] [one:7;two:7;] fixed Monday`,
      )
      expect(to('cleo@example.org').text).toContain(
        `${document.id} 5 [] [] [one+two] [] [] [one:;two:;] fixed Monday`,
      )
      expect(to('ann@example.org').text).toMatch(/ \[\] \[\] \[.*\] \[\] \[\] \[.*\] fixed Monday/)
      expect(to('ann@example.org').text).not.toMatch(/\[(?:14|28|s3|.*:7)/)
      const entries = await messages(room().server, `?recordId=${id}`)
      expect(entries[0]).toMatchObject({
        name: 'templates.told',
        source: { kind: 'template', name: 'told', step: null, id: document.id },
      })
    })

    it('C6.16: with attach: false, or once it is gone, mail goes without it', async () => {
      const id = await make({ email: 'dan@example.org' })
      const from = mail.received.length
      await room().generate('bare', { recordId: id })
      await room().tick()
      expect(mail.received.slice(from).map(({ mail: one }) => [one.subject, one.attachments.length])).toEqual(
        [['Bare', 0]],
      )
      const gone = await room().generate('told', { recordId: id })
      await room().send('DELETE', `${BASE}/documents/${gone.id}`, admin())
      await room().tick()
      expect(mail.received.at(-1)!.mail.attachments).toHaveLength(0)
    })

    it('C6.16: a mail goes without a document of more than 10 MiB', async () => {
      // Each of these is six characters of html, twelve times.
      const id = await make({ email: 'lea@example.org', long: '<'.repeat(150_000) })
      const from = mail.received.length
      expect((await room().generate('large', { recordId: id })).fileSize).toBeGreaterThan(10 * 1024 ** 2)
      await room().tick()
      const sent = mail.received.slice(from).map(({ mail: one }) => [one.subject, one.attachments.length])
      expect(sent).toEqual([['Large', 0]])
    })

    it('C6.16: nothing is told of what was not kept, or of a preview', async () => {
      const id = await make({ email: 'eve@example.org', note: 'locked' })
      await room().preview('bare', { recordId: id })
      await room().tick()
      expect(await messages(room().server, `?recordId=${id}`)).toEqual([])
    })
  })
}
