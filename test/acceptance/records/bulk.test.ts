import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { ACCOUNTS, DESK, NOTES, TICKETS } from '../desk.ts'

for (const store of STORES) {
  describe(`bulk requests on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK, config: { domain: { bulk_limit: 30 } } })
    let agent: TestAccount
    let owner: TestAccount

    beforeAll(async () => {
      agent = await server().account('agent', ['agent'])
      owner = await server().account('owner')
    })

    const send = (method: string, path: string, body: unknown, { token } = agent) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const login = (name: string, more: object = {}) => ({ login: name, secret: 'Correct-horse-7', ...more })
    const logins = async () =>
      (await send('GET', `${ACCOUNTS}?sort=login&limit=1000`, undefined)).body.data.items.map(
        (one: { login: string }) => one.login,
      )

    it('number their records in order, and no number is given twice', async () => {
      const numbers = async (items: readonly object[]) =>
        (await send('POST', `${TICKETS}/bulk`, items)).body.data.items.map(
          ({ number }: { number: number }) => number,
        )
      const one = await send('POST', TICKETS, { title: 'One' })
      const first = one.body.data.number
      // The second is refused when it is written: its number is not given to another.
      const taken = { id: one.body.data.id, title: 'Taken' }
      expect(await numbers([{ title: 'Two' }, taken, { title: 'Three' }])).toEqual([first + 1, first + 3])
      expect(await numbers([{ title: 'Four' }])).toEqual([first + 4])
      expect((await send('POST', TICKETS, { title: 'Five' })).body.data.number).toBe(first + 5)
    })

    it.each([
      ['a bare list', (items: unknown[]) => items],
      ['a list of items', (items: unknown[]) => ({ items })],
    ])('create from %s, and each row fails alone', async (name, wrap) => {
      const items = [
        login(`a ${name}`),
        { secret: 'Correct-horse-7' },
        7,
        login(`a ${name}`),
        login(`b ${name}`),
      ]
      const { status, body } = await send('POST', `${ACCOUNTS}/bulk`, wrap(items))
      expect(status).toBe(201)
      expect(body.data).toMatchObject({
        created: 2,
        failed: 3,
        items: [{ login: `a ${name}` }, { login: `b ${name}` }],
        errors: [
          { index: 1, error_code: 'VALIDATION_ERROR', errors: [{ field: 'login', rule: 'required' }] },
          { index: 2, error_code: 'VALIDATION_ERROR', errors: [{ rule: 'type' }] },
          { index: 3, error_code: 'DUPLICATE', errors: [{ field: 'login', rule: 'unique' }] },
        ],
      })
      expect(JSON.stringify(body)).not.toContain('secret"')
      expect(await logins()).toEqual(expect.arrayContaining([`a ${name}`, `b ${name}`]))
    })

    it('change what is there and make what is not, with upsert', async () => {
      await send('POST', ACCOUNTS, login('there', { plan: 'free' }))
      const { status, body } = await send('POST', `${ACCOUNTS}/bulk`, {
        upsert: true,
        conflict: ['login'],
        items: [
          { login: 'there', plan: 'paid' },
          login('new'),
          { login: 'new', plan: 'twice' },
          { plan: 'lost' },
        ],
      })
      expect(status).toBe(201)
      expect(body.data).toMatchObject({ created: 1, updated: 2, failed: 1, errors: [{ index: 3 }] })
      expect(body.data.items.map(({ plan }: { plan: string }) => plan)).toEqual(['paid', 'free', 'twice'])
    })

    it('find records by their key unless other fields are named', async () => {
      const { body } = await send('POST', ACCOUNTS, login('keyed'))
      const { id } = body.data
      const again = await send('POST', `${ACCOUNTS}/bulk`, { upsert: true, items: [{ id, plan: 'gold' }] })
      expect(again.body.data).toMatchObject({
        created: 0,
        updated: 1,
        items: [{ id, login: 'keyed', plan: 'gold' }],
      })
    })

    it('refuse an item that several records match, alone', async () => {
      await send('POST', `${TICKETS}/bulk`, [{ title: 'alike' }, { title: 'alike' }])
      const items = [{ title: 'alike' }, { title: 'unlike' }]
      const { status, body } = await send('POST', `${TICKETS}/bulk`, {
        upsert: true,
        conflict: ['title'],
        items,
      })
      expect([status, body.data]).toMatchObject([
        201,
        { created: 1, updated: 0, failed: 1, errors: [{ index: 0, error_code: 'CONFLICT' }] },
      ])
      expect(body.data.errors[0].error_message).toContain("'title'")
    })

    it('need the update permission for what an upsert changes', async () => {
      const made = await send('POST', NOTES, { text: 'mine' }, owner)
      const { id } = made.body.data
      const { body } = await send('POST', `${NOTES}/bulk`, { upsert: true, items: [{ id, text: 'ours' }] })
      expect(body.data).toMatchObject({ updated: 0, failed: 1, errors: [{ error_code: 'FORBIDDEN' }] })
    })

    it.each([
      [{ items: [], upsert: 'yes' }, 'upsert'],
      [{ items: [], upsert: true, conflict: 'login' }, 'conflict'],
      [{ items: [], upsert: true, conflict: ['secret'] }, 'conflict'],
      [{ items: [], upsert: true, conflict: ['colour'] }, 'conflict'],
      [{ items: [], colour: 1 }, 'colour'],
      [{ items: {} }, 'items'],
      ['text', 'items'],
    ])('refuse %j', async (body, field) => {
      const answer = await send('POST', `${ACCOUNTS}/bulk`, JSON.stringify(body))
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, field])
    })

    it('change many alike, or each in its own way', async () => {
      const ids: string[] = []
      for (const name of ['x', 'y', 'z']) ids.push((await send('POST', ACCOUNTS, login(name))).body.data.id)
      const alike = await send('PATCH', `${ACCOUNTS}/bulk`, {
        ids: [ids[0], 'nobody', ids[1]],
        data: { plan: 'big' },
      })
      expect([alike.status, alike.body.data]).toMatchObject([
        200,
        { updated: 2, failed: 1, errors: [{ index: 1, id: 'nobody', error_code: 'NOT_FOUND' }] },
      ])
      const each = await send('PATCH', `${ACCOUNTS}/bulk`, [
        { id: ids[2], plan: 'small' },
        { plan: 'whose' },
        { id: ids[1], login: 'x' },
      ])
      expect(each.body.data).toMatchObject({
        updated: 1,
        failed: 2,
        errors: [
          { index: 1, error_code: 'VALIDATION_ERROR' },
          { index: 2, error_code: 'DUPLICATE' },
        ],
      })
      const plans = await Promise.all(
        ids.map(async (id) => (await send('GET', `${ACCOUNTS}/${id}`, undefined)).body.data.plan),
      )
      expect(plans).toEqual(['big', 'big', 'small'])
    })

    it('delete many', async () => {
      const one = (await send('POST', ACCOUNTS, login('gone'))).body.data.id
      const { status, body } = await send('DELETE', `${ACCOUNTS}/bulk`, { ids: [one, one] })
      expect([status, body.data]).toMatchObject([200, { deleted: 1, failed: 1, errors: [{ index: 1 }] }])
      expect((await send('GET', `${ACCOUNTS}/${one}`, undefined)).status).toBe(404)
    })

    it('mark as deleted what is kept', async () => {
      const { id } = (await send('POST', TICKETS, { title: 'Mouse' })).body.data
      expect((await send('DELETE', `${TICKETS}/bulk`, { ids: [id] })).body.data.deleted).toBe(1)
      expect((await send('POST', `${TICKETS}/${id}/restore`, undefined)).status).toBe(200)
    })

    it('have a limit, and keep to it at limit + 1', async () => {
      const ids = Array.from({ length: 31 }, () => '0190b3c4-0000-7000-8000-00000000beef')
      const full = await send('DELETE', `${ACCOUNTS}/bulk`, { ids: ids.slice(1) })
      expect([full.status, full.body.data.failed]).toEqual([200, 30])
      for (const [method, body] of [
        ['DELETE', { ids }],
        ['PATCH', { ids, data: {} }],
        ['POST', ids],
      ] as const) {
        const { status, body: answer } = await send(method, `${ACCOUNTS}/bulk`, body)
        expect([status, answer.error_code]).toEqual([422, 'BULK_LIMIT_EXCEEDED'])
      }
    })

    it('tell the bus of every row once they are committed', async () => {
      const heard: unknown[] = []
      const off = server().kernel.bus.on('svc.desk.account.*', (event) => heard.push(event))
      await send('POST', `${ACCOUNTS}/bulk`, [login('told'), {}, login('too')])
      off()
      expect(heard).toMatchObject([
        { action: 'created', record: { login: 'told' } },
        { action: 'created', record: { login: 'too' } },
      ])
    })
  })
}
