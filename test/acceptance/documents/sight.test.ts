import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { chores } from '../automation/chores.ts'
import { PLACES } from '../files/places.ts'
import { STILL } from '../notifications/outbox.ts'
import { BASE, useWorkroom } from './workroom.ts'

const SHOP = `
domain:
  name: shop
  version: '1'
  api: { aliases: [/s] }
  resources:
    Customer:
      object: { name: string, phone: string, secret: string, hint: { type: string, hidden: true, requestable: true } }
      permissions: { list: [admin, clerk, guest], get: [admin, clerk, guest], create: [admin], fields: { phone: { read: [admin], mask: true }, secret: { read: [admin] } } }
    Order:
      object: { number: string, at: datetime, code: { type: string, hidden: true, requestable: true }, deep: { type: string, hidden: true }, ownerId: string, deletedAt: datetime }
      features: { softDelete: true }
      relationships: { customer: { type: belongsTo, target: Customer } }
      permissions: { list: [admin, clerk, guest], get: [admin, clerk, guest], create: [admin], update: [admin], delete: [admin] }
    Diary:
      object: { title: string, userId: uuid }
      permissions: { list: [owner, admin], get: [owner, admin], create: [admin], update: [admin], delete: [admin] }
    Vault: { object: { title: string } }
  chores: { nothing: { action: noop } }
  templates:
    seen:
      format: markdown
      permissions: { generate: [admin, clerk] }
      data: { order: { record: Order } }
      body: '{customer.name} {customer.phone} [{customer.secret}] {customer.hint} {code} [{deep}]'
    told: { format: markdown, trigger: { resource: Order, event: create, condition: number == 'T1' }, runAs: system, data: { order: { record: Order }, all: { source: Customer } }, body: '{customer.phone} {customer.secret} {customer.hint} {code} {deep} {#each all as one}{one.phone}{one.secret} {/each}' }
    zoned: { format: markdown, timezone: Asia/Tokyo, permissions: { generate: [admin] }, data: { order: { record: Order } }, body: '{at | datetime}|{at | date}|{at | time}' }
    free: { format: markdown, permissions: { generate: [admin], view: ['*'] }, body: free }
    freeOrder: { format: markdown, permissions: { generate: [admin], view: ['*'] }, data: { order: { record: Order } }, body: '{number}' }
    clerks: { format: markdown, permissions: { generate: [admin, clerk] }, data: { order: { record: Order } }, body: '{number}' }
    mine: { format: markdown, permissions: { generate: [admin, clerk, guest], view: [owner] }, body: mine }
    diary: { format: markdown, permissions: { generate: [admin], view: [clerk, owner] }, data: { it: { record: Diary } }, body: '{title}' }
    vault: { format: markdown, permissions: { generate: [admin], view: [clerk, admin] }, data: { it: { record: Vault } }, body: '{title}' }
    wise: { format: markdown, permissions: { generate: [admin], view: "number == 'A1' or hasRole('admin')" }, data: { order: { record: Order } }, body: '{number}' }
    late: { format: markdown, trigger: { resource: Order, event: create, condition: number == 'late' }, data: { order: record }, body: '{number}' }
`
const FILES = '/api/v1/files'

for (const store of STORES)
  for (const place of PLACES) {
    if (place.name === 's3' && store.name !== 'sqlite') continue
    describe(`who sees what of documents on ${store.name} and ${place.name}`, () => {
      const room = useWorkroom(store, SHOP, {
        place,
        plugins: [chores],
        sections: {
          ...STILL,
          auth: {
            jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 864_000 },
          },
        },
      })
      const admin = () => room().server.admin
      const token = async (name: string, role: string) => (await room().account(name, [role])).token
      const make = (values: object = {}) => room().record('orders', { number: 'A1', ...values })

      it('C6.4: a masked field along a bare relation is masked, an unreadable one null; a hidden one is there by its name', async () => {
        const customerId = await room().record('customers', {
          name: 'Ann',
          phone: '0301',
          secret: 's',
          hint: 'h',
        })
        const id = await make({ customerId, code: 'c7' })
        const said = async (by?: string) =>
          (await room().preview('seen', { recordId: id }, by)).replaceAll('\\', '').trim()
        expect(await said()).toBe('Ann 0301 [s] h c7 []')
        expect(await said(await token('clara', 'clerk'))).toBe('Ann *** [] h c7 []')
      })

      it('C6.4: as the system it holds everything, by hand and by an event', async () => {
        const customerId = await room().record('customers', {
          name: 'Sys',
          phone: '9',
          secret: 'z',
          hint: 'h',
        })
        const id = await make({ number: 'T1', customerId, code: 'c8', deep: 'd9' })
        await room().tick()
        const [document] = await room().documents(`?recordId=${id}`)
        for (const text of [await room().text(document), await room().preview('told', { recordId: id })])
          expect(text.replaceAll('\\', '')).toMatch(/^9 z h c8 d9 .*9z/)
      })

      it('C6.1: times are those of the zone of the template', async () => {
        const id = await make({ at: '2026-03-01T20:30:00Z' })
        const [both, date, time] = (await room().preview('zoned', { recordId: id, locale: 'en' }))
          .replaceAll('\\', '')
          .trim()
          .split('|')
        expect([both, date, time]).toEqual(['2026-03-02 05:30', '2026-03-02', '05:30'])
      })

      it("C7.5: with view ['*'] a document is for everybody who may get its record", async () => {
        const free = await room().generate('free', {})
        const path = `${BASE}/documents/${free.id}`
        expect((await room().send('GET', path, undefined)).status).toBe(200)
        expect((await room().send('GET', `${path}/download`, undefined)).bytes.toString()).toContain('free')
        const about = await room().generate('freeOrder', { recordId: await make() })
        expect((await room().send('GET', `${BASE}/documents/${about.id}`, undefined)).status).toBe(401)
        const guest = await token('gus', 'guest')
        expect((await room().send('GET', `${BASE}/documents/${about.id}`, guest)).status).toBe(200)
        const { body } = await room().send('GET', `${BASE}/documents?limit=100`, undefined)
        expect(body.data.items.map(({ id }: any) => id)).toEqual([free.id])
      })

      it('C7.3, C7.5: lists what one may get, page by page, whatever decides', async () => {
        const [ann, clara, gus] = [
          await room().account('annie'),
          await room().account('clara', ['clerk']),
          await room().account('gus', ['guest']),
        ]
        const [first, second] = [await make({ ownerId: ann.id }), await make({ number: 'A2' })]
        const diaries = [
          await room().record('diaries', { title: 'a', userId: ann.id }),
          await room().record('diaries', { title: 'g', userId: gus.id }),
        ]
        const vault = await room().record('vaults', { title: 'gold' })
        for (const recordId of [first, second]) {
          await room().generate('clerks', { recordId }, clara.token)
          await room().generate('wise', { recordId })
          await room().generate('freeOrder', { recordId })
        }
        for (const recordId of diaries) await room().generate('diary', { recordId })
        await room().generate('mine', {}, gus.token)
        await room().generate('mine', {}, clara.token)
        await room().generate('vault', { recordId: vault })
        const gone = await room().record('vaults', { title: 'sold' })
        await room().generate('vault', { recordId: gone })
        const check = async () => {
          const every = await room().documents('?limit=200&sort=generatedAt')
          const all = new Set(every.map(({ id }) => id))
          for (const by of [admin(), ann.token, clara.token, gus.token, undefined]) {
            const listed: string[] = []
            let total = -1
            for (let page = 1; page < 40; page++) {
              const { status, body } = await room().send(
                'GET',
                `${BASE}/documents?sort=generatedAt&page=${page}&limit=3`,
                by,
              )
              expect(status).toBe(200)
              total = body.data.totalCount
              listed.push(...body.data.items.map(({ id }: any) => id))
              if (body.data.items.length < 3) break
            }
            const seen: string[] = []
            for (const id of new Set([...all, ...listed]))
              if ((await room().send('GET', `${BASE}/documents/${id}`, by)).status === 200) seen.push(id)
            expect(listed.toSorted()).toEqual(seen.toSorted())
            expect(total).toBe(listed.length)
          }
        }
        await check()
        await room().send('DELETE', `${BASE}/vaults/${gone}`, admin())
        await room().send('DELETE', `${BASE}/orders/${second}`, admin())
        await check()
        const of = async (by: string) =>
          (await room().documents('?limit=200', by)).map(
            ({ templateName, recordId }) => `${templateName} ${recordId}`,
          )
        expect(await of(clara.token)).toEqual(expect.arrayContaining([`vault ${gone}`, `clerks ${second}`]))
        expect(await of(clara.token)).not.toContain(`vault ${vault}`)
        expect(await of(gus.token)).toEqual(expect.arrayContaining([`diary ${diaries[1]}`, 'mine null']))
      })

      it('C1.10: the address of a download is signed, and read as its signer may read at that moment', async () => {
        const id = await make()
        const { id: signer, token: by } = await room().account('sid', ['clerk'])
        const document = await room().generate('clerks', { recordId: id }, by)
        const path = `${BASE}/documents/${document.id}/download`
        const sign = (given: string, token: string | undefined = by, more: object = {}) =>
          room().send('POST', `${FILES}/sign`, token, { path: given, ...more })
        const { status, body } = await sign(path, by, { expires_in: 60 })
        expect([status, Object.keys(body.data)]).toEqual([200, ['url', 'expires_at']])
        const read = (url: string, headers = {}) => room().send('GET', url, undefined, undefined, { headers })
        const whole = await read(body.data.url)
        expect([whole.status, whole.bytes.toString()]).toEqual([200, await room().text(document)])
        expect(Object.fromEntries(whole.headers)).toMatchObject({
          'cache-control': 'private, no-cache',
          'content-type': 'text/markdown; charset=utf-8',
          'content-disposition': expect.stringContaining('attachment'),
        })
        expect((await read(body.data.url, { range: 'bytes=0-1' })).status).toBe(206)
        expect((await sign(`/s/documents/${document.id}/download`)).status).toBe(200)
        const other = await room().generate('clerks', { recordId: id })
        const changed = await read(body.data.url.replace(document.id, other.id))
        expect([changed.status, changed.body?.error_code]).toEqual([401, 'TOKEN_INVALID'])
        expect((await sign(path, await token('gus', 'guest'))).status).toBe(403)
        expect((await room().send('POST', `${FILES}/sign`, undefined, { path })).status).toBe(401)
        for (const none of [
          `${BASE}/documents/${id}/download`,
          `${BASE}/documents/${document.id}`,
          `/api/v1/other/documents/${document.id}/download`,
          '/',
        ])
          expect((await sign(none)).status).toBe(404)
        const long = (await sign(path, by, { expires_in: 3600 })).body.data.url
        room().server.clock.advance(61_000)
        const late = await read(body.data.url)
        expect([late.status, late.body?.error_code]).toEqual([401, 'TOKEN_EXPIRED'])
        expect((await read(long)).status).toBe(200)
        const roles = await room().send('PUT', `/api/v1/admin/users/sid/roles`, admin(), { roles: ['guest'] })
        if (roles.status < 300) expect((await read(long)).status).toBe(403)
        expect((await room().send('POST', '/api/v1/admin/users/sid/suspend', admin())).status).toBeLessThan(
          300,
        )
        const suspended = await read(long)
        expect([suspended.status, suspended.body?.error_code]).toEqual([403, 'USER_SUSPENDED'])
        expect(signer).toBeDefined()
      })

      it('C1.10: an address of a document that is gone is 404', async () => {
        const document = await room().generate('free', {})
        const path = `${BASE}/documents/${document.id}/download`
        // An account with the role, since the server's own administrator is one too.
        const { body } = await room().send('POST', `${FILES}/sign`, admin(), { path })
        await room().send('DELETE', `${BASE}/documents/${document.id}`, admin())
        expect((await room().send('GET', body.data.url, undefined)).status).toBe(404)
      })

      it('C7.6: an erase removes the documents of its record with their bytes, and those that are promised', async () => {
        const [id, other] = [await make(), await make()]
        const kept = await room().generate('clerks', { recordId: other })
        const gone = [
          await room().generate('clerks', { recordId: id }),
          await room().generate('freeOrder', { recordId: id }),
        ]
        const late = await make({ number: 'late' })
        for (const one of [id, late])
          expect((await room().send('POST', `${BASE}/chores/erase/${one}`, admin())).status).toBe(200)
        await room().tick()
        for (const { id: document, storagePath } of gone) {
          expect((await room().send('GET', `${BASE}/documents/${document}`, admin())).status).toBe(404)
          await expect.poll(() => room().place.keys()).not.toContain(storagePath)
        }
        expect(await room().documents(`?recordId=${late}`)).toEqual([])
        expect((await room().send('GET', `${BASE}/documents/${kept.id}`, admin())).status).toBe(200)
        expect(room().place.keys()).toContain(kept.storagePath)
      })
    })
  }
