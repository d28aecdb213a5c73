import { SYSTEM } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { ACCOUNTS, DESK, TICKETS } from '../desk.ts'

for (const store of STORES) {
  describe(`export and import on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK, config: { domain: { bulk_limit: 600 } } })
    let agent: TestAccount

    beforeAll(async () => {
      agent = await server().account('agent', ['agent'])
    })

    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: agent.token, ...(body !== undefined && { body }) })
    const lines = async (query = '') => {
      const { status, body } = await send('GET', `${TICKETS}/export${query}`)
      expect(status).toBe(200)
      expect(body.endsWith('\r\n')).toBe(true)
      return body.slice(0, -2).split('\r\n')
    }

    it('writes a header alone where there is nothing', async () => {
      expect(await lines('?fields=number')).toEqual(['id,number'])
    })

    it('takes a list of records and tells what became of each', async () => {
      const items = [
        { title: 'One, two', note: 'say "hi"\nthere', hours: 1.5, tags: ['a', 'b'] },
        { title: 'x' },
        { title: '=1+1', note: '-2+3', phone: '+49 30 1234', solution: '-4.5' },
        { title: '@cmd', note: '\tx', phone: '+1+cmd', solution: '+49301234' },
      ]
      const { status, body } = await send('POST', `${TICKETS}/import`, items)
      expect(status).toBe(201)
      expect(body.data).toMatchObject({
        created: 3,
        failed: 1,
        items: [{ title: 'One, two' }, { title: '=1+1' }, { title: '@cmd' }],
        errors: [{ index: 1, error_code: 'VALIDATION_ERROR' }],
      })
    })

    it('writes every record as a line, quoted where needed, with formulas disarmed', async () => {
      const fields = 'title,note,hours,open,tags,phone,solution,cost,label,solvedAt'
      const { headers, body } = await send('GET', `${TICKETS}/export?sort=number&fields=${fields}`)
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(headers.get('content-disposition')).toBe('attachment; filename="tickets.csv"')
      const withoutIds = body.split('\r\n').map((line: string) => line.slice(line.indexOf(',') + 1))
      expect(withoutIds).toEqual([
        fields,
        '"One, two","say ""hi""\nthere",1.5,true,"[""a"",""b""]",,,15,"OPEN One, two",',
        "'=1+1,'-2+3,0,true,,+49 30 1234,-4.5,0,OPEN =1+1,",
        "'@cmd,'\tx,0,true,,'+1+cmd,+49301234,0,OPEN @cmd,",
        '',
      ])
    })

    it('leaves out what the reader may not see', async () => {
      const { body } = await server().request('GET', `${TICKETS}/export`)
      const [header, first] = body.split('\r\n')
      expect(header).not.toContain('costCentre')
      expect(first).toContain('***')
    })

    it('heeds filters, and a range where one is asked for', async () => {
      expect(await lines('?fields=title&filter[hours][gt]=1')).toHaveLength(2)
      expect(await lines('?fields=number&sort=-number&limit=2')).toHaveLength(3)
      expect(await lines('?fields=number&page=2&limit=2')).toHaveLength(2)
    })

    it('is told before it begins that a query is wrong', async () => {
      const { status, body } = await send('GET', `${TICKETS}/export?filter[hours]=many`)
      expect([status, body.error_code]).toEqual([400, 'INVALID_QUERY'])
    })

    it('streams all of them, however many', async () => {
      const items = Array.from({ length: 520 }, (_, at) => ({ title: `Many ${at}`, slug: `many-${at}` }))
      expect((await send('POST', `${TICKETS}/import`, { items })).body.data.created).toBe(520)
      const all = await lines('?fields=slug&sort=-priority,slug&filter[slug][like]=many-%25')
      expect(all).toHaveLength(521)
      expect(new Set(all).size).toBe(521)
    })

    const open = async (query = '', method = 'GET') => {
      const http = server().kernel.get(HttpServerCapability)
      const url = new URL(`${TICKETS}/export${query}`, http.url())
      return http.fetch(new Request(url, { method, headers: { authorization: `Bearer ${agent.token}` } }))
    }

    it('shows the records as they were when it began', async () => {
      const query = '?fields=slug&filter[slug][like]=many-%25&sort=slug'
      const before: string[] = await lines(query)
      const { items } = (await send('GET', `${TICKETS}?sort=-slug&limit=1&filter[slug][like]=many-%25`)).body
        .data
      const reader = (await open(query)).body!.getReader()
      const parts = [await reader.read(), await reader.read()]
      expect((await send('DELETE', `${TICKETS}/${items[0].id}`)).status).toBe(204)
      expect((await send('POST', TICKETS, { title: 'Late', slug: 'many-late' })).status).toBe(201)
      const decoder = new TextDecoder()
      let text = parts.map(({ value }) => decoder.decode(value)).join('')
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += decoder.decode(part.value)
      expect(text.slice(0, -2).split('\r\n')).toEqual(before)
      expect(await lines(query)).toHaveLength(before.length)
    })

    it('lets go of the store when nobody reads it to its end', async () => {
      for (let round = 0; round < 6; round += 1) {
        expect((await open('', 'HEAD')).status).toBe(200)
        await (await open()).body!.cancel()
        const reader = (await open()).body!.getReader()
        for (const _ of ['header', 'rows']) await reader.read()
        await reader.cancel()
        await server().kernel.callAs(SYSTEM)('svc.desk.ticket.export', {})
      }
      expect((await lines('?fields=slug')).length).toBeGreaterThan(500)
    })

    it('has a limit', async () => {
      const items = Array.from({ length: 601 }, () => ({}))
      const { status, body } = await send('POST', `${TICKETS}/import`, items)
      expect([status, body.error_code]).toEqual([422, 'BULK_LIMIT_EXCEEDED'])
    })

    it('is for those who may list or create, and where the resource offers it', async () => {
      const anonymous = await server().request('POST', `${TICKETS}/import`, { body: [] })
      expect(anonymous.status).toBe(401)
      expect((await send('GET', `${ACCOUNTS}/export`)).status).toBe(404)
      expect((await send('POST', `${ACCOUNTS}/import`, [])).status).toBe(404)
    })
  })
}
