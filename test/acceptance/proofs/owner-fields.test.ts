import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: clinic
  version: '1.0.0'
  resources:
    Report:
      features: { export: true, search: true, audit: true, versioning: true }
      object:
        title: { type: string, required: true }
        salary: { type: decimal, unique: true }
        plea: { type: string, required: true, default: none }
        diary: text
        doctorId: uuid
        double: { type: decimal, computed: 'salary * 2' }
        verdict: { type: string, computed: 'concat(title, "!")' }
        loud: { type: string, computed: 'upper(verdict)' }
        createdById: uuid
      relationships:
        room: { type: belongsTo, target: Room }
        bed: { type: belongsTo, target: Room }
      permissions:
        list: [authenticated]
        get: [authenticated]
        create: [authenticated]
        update: [authenticated]
        delete: [authenticated]
        fields:
          salary: { read: [owner, boss], write: [owner, boss] }
          plea: { write: [owner] }
          diary: { read: [owner], mask: true }
          verdict: { read: [owner] }
          bedId: { read: [owner] }
    Room:
      object: { name: string }
      relationships:
        reports: { type: hasMany, target: Report, foreignKey: roomId, orderBy: { salary: desc } }
        sleepers: { type: hasMany, target: Report, foreignKey: bedId }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
`
const REPORTS = '/api/v1/clinic/reports'
const ROOMS = '/api/v1/clinic/rooms'

for (const store of STORES) {
  describe(`fields for the owner of a record on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, environment: 'development' })
    let ann: TestAccount
    let bob: TestAccount
    let boss: TestAccount
    let roomId = ''
    let hers = ''
    let his = ''

    const send = async (method: string, path: string, { token }: TestAccount, body?: unknown) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })

    beforeAll(async () => {
      ann = await server().account('ann')
      bob = await server().account('bob')
      boss = await server().account('boss', ['boss'])
      const made = await send('POST', ROOMS, ann, { name: 'one' })
      roomId = made.body.data.id
      const make = async (who: TestAccount, title: string) => {
        const { body } = await send('POST', REPORTS, who, { title, roomId, bedId: roomId })
        return `${REPORTS}/${body.data.id}`
      }
      hers = await make(ann, 'hers')
      his = await make(bob, 'his')
      await send('PATCH', hers, ann, { salary: 20 })
      await send('PATCH', his, bob, { salary: 10 })
    })

    it('are shown to the owner, and to the roles that the rule names besides', async () => {
      expect((await send('GET', hers, ann)).body.data).toMatchObject({ salary: 20, double: 40, diary: null })
      expect((await send('GET', hers, boss)).body.data).toMatchObject({ salary: 20, double: 40 })
    })

    it('are not there for others, or masked', async () => {
      const { data } = (await send('GET', his, ann)).body
      expect(data).not.toHaveProperty('salary')
      expect(data).not.toHaveProperty('verdict')
      expect(data).toMatchObject({ diary: '***', double: null, loud: null })
    })

    it('are decided for each record of a list', async () => {
      const { body } = await send('GET', `${REPORTS}?fields=title,salary,loud`, ann)
      const [first, second] = body.data.items
      expect(first).toEqual({ id: expect.any(String), title: 'hers', salary: 20, loud: 'HERS!' })
      expect(second).toEqual({ id: expect.any(String), title: 'his', loud: null })
      const related = await send('GET', `${ROOMS}/${roomId}?include=reports`, ann)
      expect(related.body.data.reports.map(({ salary }: { salary?: number }) => salary)).toEqual([
        20,
        undefined,
      ])
    })

    it('choose, sort and tell nothing, since records of others would tell of themselves', async () => {
      const ignored = async (query: string) => (await send('GET', `${REPORTS}?${query}`, ann)).body
      for (const query of ['filter[salary][gt]=15', 'sort=salary', 'include=bed']) {
        const { data, warnings } = await ignored(query)
        expect(data.count).toBe(2)
        if (query !== 'include=bed') expect(warnings).toHaveLength(1)
        else expect(data.items.map(({ bed }: { bed: unknown }) => bed)).toEqual([null, null])
      }
      expect((await send('GET', `${REPORTS}/distinct/salary`, ann)).status).toBe(400)
      expect((await ignored('search=hers!')).data.count).toBe(0)
      const csv = String((await send('GET', `${REPORTS}/export`, ann)).body)
      expect(csv.split('\r\n')[0]).toBe('id,title,plea,diary,doctorId,double,loud,createdById,roomId')
      expect(csv).not.toContain(',20')
    })

    it('are no way to sort a list of children, whoever declared the order', async () => {
      const path = `${ROOMS}/${roomId}/reports`
      const titles = async (who: TestAccount) =>
        (await send('GET', path, who)).body.data.items.map(({ title }: { title: string }) => title)
      expect(await titles(boss)).toEqual(['hers', 'his'])
      const { body } = await send('GET', `${path}?cursor=&limit=1`, ann)
      expect(Buffer.from(body.data.nextCursor, 'base64url').toString()).not.toContain('"20"')
    })

    it('do not say whose children records are', async () => {
      const path = `${ROOMS}/${roomId}`
      expect((await send('GET', `${path}/sleepers`, ann)).body.data.items).toEqual([])
      expect((await send('GET', `${path}?include=sleepers`, ann)).body.data.sleepers).toEqual([])
    })

    it('are written by the owner, and by nobody who merely made the record', async () => {
      expect((await send('PATCH', hers, ann, { plea: 'mine' })).body.data.plea).toBe('mine')
      const refused = await send('PATCH', hers, bob, { title: 'stolen', plea: 'his' })
      expect([refused.status, refused.body.error_code]).toEqual([403, 'FIELD_FORBIDDEN'])
      const dropped = await send('PATCH', hers, bob, { title: 'shared', salary: 1 })
      expect(dropped.body.warnings).toMatchObject([{ rule: 'ignored' }])
      expect((await send('GET', hers, ann)).body.data).toMatchObject({ title: 'shared', salary: 20 })
      const made = await send('POST', REPORTS, ann, { title: 'new', salary: 5 })
      expect(made.body.data.salary).toBeNull()
      expect(made.body.warnings).toMatchObject([{ rule: 'ignored' }])
    })

    it('stay as they are in a replacement by somebody else, and in many changes at once', async () => {
      expect((await send('PUT', hers, bob, { title: 'hers' })).status).toBe(200)
      const id = hers.slice(REPORTS.length + 1)
      await send('PATCH', `${REPORTS}/bulk`, bob, { ids: [id], data: { salary: 2 } })
      expect((await send('GET', hers, boss)).body.data.salary).toBe(20)
    })

    it('differ in the tag of the record, which still serves as a precondition', async () => {
      const tag = (await send('GET', hers, ann)).headers.get('etag')!
      expect((await send('GET', hers, bob)).headers.get('etag')).not.toBe(tag)
      const headers = { 'if-match': tag }
      const patched = await server().request('PATCH', hers, { token: ann.token, body: {}, headers })
      expect(patched.status).toBe(200)
    })

    it('do not turn up in what is kept of earlier states', async () => {
      for (const below of ['audit', 'versions']) {
        const kept = JSON.stringify((await send('GET', `${hers}/${below}`, bob)).body)
        expect(kept).not.toContain('salary')
      }
    })
  })
}
