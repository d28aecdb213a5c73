import { setTimeout as delay } from 'node:timers/promises'
import { SYSTEM } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { STORES, type StoreUnderTest } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { ACCOUNTS, DESK, TICKETS } from '../desk.ts'

/** The same store with room for one long read, which others wait for as shortly as the store allows. */
const withOneLongRead = (store: StoreUnderTest): StoreUnderTest => ({
  ...store,
  async open() {
    const database = await store.open()
    const narrow = { pool_size: 2, long_read_wait_ms: 1000 }
    return { ...database, config: (overrides) => database.config({ ...narrow, ...overrides }) }
  },
})

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

for (const store of STORES) {
  describe(`an export that finds no room for a long read on ${store.name}`, () => {
    // What is exported is more than a socket takes by itself.
    const config = { rest: { port: 0, body_limit_bytes: 2 ** 24 } }
    const server = useTestKernel({ store: withOneLongRead(store), definition: DESK, config })
    let headers: Readonly<Record<string, string>>

    beforeAll(async () => {
      const { token } = await server().account('agent', ['agent'])
      headers = { authorization: `Bearer ${token}` }
      const note = 'x'.repeat(24_000)
      const items = Array.from({ length: 520 }, (_, at) => ({
        title: `Many ${at}`,
        slug: `many-${at}`,
        note,
      }))
      const { status } = await server().request('POST', `${TICKETS}/import`, { token, body: items })
      expect(status).toBe(201)
    })

    const address = (query = '') =>
      new URL(`${TICKETS}/export${query}`, server().kernel.get(HttpServerCapability).url())
    const inside = (query = '', init: RequestInit = {}) =>
      server()
        .kernel.get(HttpServerCapability)
        .fetch(new Request(address(query), { headers, ...init }))
    /** An export that holds the only long read until its body is read to its end or cancelled. */
    const holding = async () => {
      const { status, body } = await inside()
      expect([status, body === null]).toEqual([200, false])
      return body!
    }
    /** Resolves once a long read is free; fails where none gets free. */
    const free = async () => {
      const { status, body } = await inside()
      await body?.cancel()
      expect(status).toBe(200)
    }

    it('is 503 with Retry-After, and works once there is room', async () => {
      const held = await holding()
      const refused = await Promise.all([
        inside(),
        inside('', { method: 'HEAD' }),
        fetch(address(), { headers }),
      ])
      for (const { status, headers: said } of refused) {
        expect([status, said.get('content-type')]).toEqual([503, 'application/json'])
        expect(Number(said.get('retry-after'))).toBeGreaterThan(0)
        expect(said.get('content-disposition')).toBeNull()
      }
      expect(await refused[2]!.json()).toMatchObject({
        status: 'error',
        code: 503,
        error_code: 'UNAVAILABLE',
      })
      await held.cancel()
      expect((await (await inside()).text()).split('\r\n')).toHaveLength(522)
    })

    it('takes the place of one that ends while it waits', async () => {
      const held = await holding()
      const waiting = inside()
      await held.cancel()
      const { status, body } = await waiting
      expect(status).toBe(200)
      await body!.cancel()
    })

    it('needs no room for a page, and gives it up before it hands out its last rows', async () => {
      const small = await inside('?filter[slug]=many-7')
      const held = await holding()
      const page = await inside('?limit=5')
      expect((await page.text()).split('\r\n')).toHaveLength(7)
      expect((await small.text()).split('\r\n')).toHaveLength(3)
      await held.cancel()
    })

    for (const [way, ask] of [
      ['over a connection', (init: RequestInit) => fetch(address(), { headers, ...init })],
      ['inside the process', (init: RequestInit) => inside('', init)],
    ] as const) {
      it(`is over with a client that leaves ${way} while it waits`, async () => {
        const held = await holding()
        const leaving = new AbortController()
        const left = ask({ signal: leaving.signal }).catch((error: unknown) => error)
        await delay(50)
        leaving.abort()
        await held.cancel()
        await left
        await free()
      })

      it(`is over with a client that leaves ${way} once its answer has begun`, async () => {
        const leaving = new AbortController()
        const { status } = await ask({ signal: leaving.signal })
        expect(status).toBe(200)
        leaving.abort()
        await free()
      })
    }
  })
}

for (const store of STORES) {
  describe(`a large import on ${store.name}`, () => {
    const config = { domain: { bulk_limit: 2000 } }
    const server = useTestKernel({ store, definition: DESK, config })

    afterEach(() => void vi.useRealTimers())

    it('takes as long as it needs, and lets others read meanwhile', async () => {
      const { token } = await server().account('agent', ['agent'])
      const body = Array.from({ length: 2000 }, (_, at) => ({ title: at % 8 === 0 ? `Many ${at}` : 'no' }))
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      let isOver = false
      const running = server()
        .request('POST', `${TICKETS}/import`, { token, body })
        .finally(() => (isOver = true))
      let answered = 0
      while (!isOver) {
        await vi.advanceTimersByTimeAsync(5000)
        const paths = ['/health', `${TICKETS}?limit=1`]
        const reads = await Promise.all(paths.map((path) => server().request('GET', path)))
        expect(reads.map(({ status }) => status)).toEqual([200, 200])
        if (!isOver) answered += 1
      }
      const { status, body: answer } = await running
      expect([status, answer.data.created, answer.data.failed]).toEqual([201, 250, 1750])
      expect(answered).toBeGreaterThan(2)
    })
  })
}
