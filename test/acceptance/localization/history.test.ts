import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from './shop.ts'
import { sendFile } from './translators.ts'

for (const store of STORES) {
  describe(`history in the reader's language on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const make = async () => {
      const { body } = await server().request('POST', '/api/v1/shop/orders', {
        token: server().admin,
        body: { title: 'Nails', total: 10, secret: 'gold' },
      })
      return body.data.id
    }
    const told = async (id: string, language: string, token?: string) => {
      const { body } = await server().request('GET', `/api/v1/shop/orders/${id}/history`, {
        headers: { 'accept-language': language },
        ...(token !== undefined && { token }),
      })
      return body.data.items.map(({ event, label, detail }: Record<string, string>) => [event, label, detail])
    }

    it('L7 labels and details are put together anew, of what the reader may see', async () => {
      const id = await make()
      const { admin } = server()
      expect(await told(id, 'en', admin)).toEqual([['made', 'Made Nails', 'For gold']])
      expect(await told(id, 'de', admin)).toEqual([['made', 'Nails angelegt', 'For gold']])
      expect(await told(id, 'de')).toEqual([['made', 'Nails angelegt', 'For ']])
      expect(await told(id, 'cy')).toEqual([['made', 'Nails angelegt', 'For ']])
    })

    it('L7 a locale that the stored template lacks has the present text of the event', async () => {
      const id = await make()
      const cymraeg =
        'locale: cy\nhistory: { Order: { made: { label: Gwnaed {title}, detail: I {secret} } } }'
      const { request, admin } = server()
      await sendFile(
        request,
        admin,
        cymraeg.replace('Gwnaed {title}', "'Gwnaed {title}'").replace('I {secret}', "'I {secret}'"),
      )
      expect(await told(id, 'cy', admin)).toEqual([['made', 'Gwnaed Nails', 'I gold']])
      expect(await told(id, 'cy')).toEqual([['made', 'Gwnaed Nails', 'I ']])
      const later = await make()
      const other = cymraeg
        .replace('Gwnaed {title}', "'Newydd {title}'")
        .replace('I {secret}', "'I {secret}'")
      await sendFile(request, admin, other)
      expect(await told(id, 'cy', admin)).toEqual([['made', 'Newydd Nails', 'I gold']])
      // What was said when it happened is what it is told by.
      expect(await told(later, 'cy', admin)).toEqual([['made', 'Gwnaed Nails', 'I gold']])
      expect(await told(later, 'en', admin)).toEqual([['made', 'Made Nails', 'For gold']])
    })

    it('L7 an entry tells its own words after the definition has others, in locales that it knew', async () => {
      const id = await make()
      await server().submit(
        SHOP.replace('{title} angelegt', '{title} neu')
          .replace('Made {title}', 'New {title}')
          .replace("version: '1'", "version: '2'"),
      )
      expect(await told(id, 'de', server().admin)).toEqual([['made', 'Nails angelegt', 'For gold']])
      expect(await told(id, 'en', server().admin)).toEqual([['made', 'Made Nails', 'For gold']])
    })

    it('L7, L10 what was imported for another text of the definition is told by no one, and missing', async () => {
      const { request, admin, submit } = server()
      await submit(SHOP)
      await sendFile(request, admin, "locale: cy\nhistory: { Order: { made: { detail: 'I {secret}' } } }")
      await submit(SHOP.replace('For {secret}', 'Of {title}'))
      const [[, , detail]] = await told(await make(), 'cy', admin)
      expect(detail).toBe('Of Nails')
      const { body } = await request('GET', '/api/v1/shop/localization/missing?locale=cy', { token: admin })
      expect(body.data.items.map(({ key }: any) => key)).toContain('history.Order.made.detail')
    })
  })
}
