import { readFileSync } from 'node:fs'
import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../../kit/pdf.ts'
import { STORES } from '../../kit/stores.ts'
import { STILL } from '../notifications/outbox.ts'
import { docxText } from './read-back.ts'
import { useWorkroom } from './workroom.ts'

const EXAMPLE = readFileSync(
  new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url),
  'utf8',
)
const API = '/api/v1/workshop'

for (const store of STORES) {
  describe(`the documents of the workshop on ${store.name}`, () => {
    const room = useWorkroom(store, EXAMPLE, { sections: STILL })
    const create = async (resource: string, data: object) =>
      (await room().server.kernel.callAs(SYSTEM)(`svc.workshop.${resource}.create`, { data })) as any
    const get = async (path: string) => await room().send('GET', `${API}/${path}`, room().server.admin)
    let number = 0
    const repair = async () => {
      number += 1
      const customerId = (
        await create('customer', {
          name: 'Ann Łódź',
          email: `ann${number}@example.org`,
          phone: '+441179460000',
          street: '1 Quay',
        })
      ).id
      const bikeId = (
        await create('bike', {
          frameNumber: `FRAME0000${number}`,
          model: 'Gazelle',
          kind: 'city',
          customerId,
        })
      ).id
      const order = {
        problem: 'It rattles',
        receivedAt: '2026-03-01T09:00:00Z',
        diagnosis: '**Loose** headset',
        estimate: 90,
      }
      const { id } = await create('repair-order', { ...order, customerId, bikeId })
      const service = {
        code: `S1${number}`,
        name: `Work ${number}`,
        description: 'Work',
        price: 10,
        minutes: 30,
      }
      const { id: serviceId } = await create('service', service)
      for (let position = 1; position <= 60; position++)
        await create('order-line', {
          position,
          kind: 'labour',
          text: `Work ${position}`,
          quantity: 1,
          unitPrice: 2,
          serviceId,
          repairOrderId: id,
        })
      return { id, customerId }
    }
    const generate = async (template: string, recordId: string) => {
      const { status, body } = await room().send(
        'POST',
        `${API}/templates/${template}/generate`,
        room().server.admin,
        { recordId },
      )
      expect([status, body.warnings]).toEqual([201, undefined])
      return (await get(`documents/${body.data.id}/download`)).bytes
    }

    it('C6.2, C6.12, C6.15, C6.16: sending an invoice makes it as a pdf, which stands in it and is mailed', async () => {
      const { id, customerId } = await repair()
      const invoice = {
        number: `INV-2026-000${number}`,
        issuedOn: '2026-03-02',
        dueOn: '2026-03-16',
        customerId,
        repairOrderId: id,
      }
      const { id: key } = await create('invoice', invoice)
      const { token } = await room().account('tess', ['frontdesk'])
      expect((await room().send('POST', `${API}/invoices/${key}/transitions/send`, token)).status).toBe(200)
      await room().tick()
      const { body } = await get(`documents?recordId=${key}`)
      const [document] = body.data.items
      expect(document).toMatchObject({
        templateName: 'invoice',
        filename: `${invoice.number}.pdf`,
        format: 'pdf',
      })
      const { paper } = (await get(`invoices/${key}`)).body.data
      const { path } = (await get(`media/${paper}`)).body.data
      const { bytes } = await room().send('GET', path, room().server.admin)
      expect(bytes.equals((await get(`documents/${document.id}/download`)).bytes)).toBe(true)
      const pages = await linesOf(bytes)
      expect(pages.length).toBeGreaterThan(1)
      expect(pages[0]).toMatch(/Harbourside Cycles, Bristol.*Invoice INV-2026-\d+.*Ann Łódź.*1 Quay/)
      expect(pages.join(' ')).toMatch(/Work 60.*Net £100\.00, VAT 20 % £20\.00.*Total £120\.00/)
      for (const [at, text] of pages.entries()) expect(text).toContain(`Page ${at + 1} of ${pages.length}`)
      const { items } = (await get(`notifications?recordId=${key}`)).body.data
      expect(items).toMatchObject([
        {
          name: 'templates.invoice',
          channel: 'email',
          recipient: `ann${number}@example.org`,
          subject: `Your invoice ${invoice.number}`,
          status: 'logged',
        },
      ])
    })

    it('C6.1: makes the quote, the slip and the report by hand', async () => {
      const { id } = await repair()
      const quote = docxText(await generate('quote', id))
      expect(quote).toMatch(
        /Quote for order \d+.*Ann Łódź, Gazelle.*Loose headset.*Work 60: £2\.00.*estimate is £90\.00.*14 days/s,
      )
      const slip = (await generate('collectionSlip', id)).toString()
      expect(slip).toMatch(/<td[^>]*>Work 1<\/td>/)
      const report = (await generate('repairReport', id)).toString()
      expect(report).toMatch(/Booked in: It rattles/)
    })
  })
}
