import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const PAPERS = `
domain:
  name: papers
  version: '1.0.0'
  resources:
    Folder:
      features: { softDelete: true }
      object: { name: string, userId: uuid, deletedAt: datetime }
      relationships:
        sheets: { type: hasMany, target: Sheet, foreignKey: folderId }
        notes: { type: hasMany, target: Note, foreignKey: folderId }
        tags: { type: belongsToMany, target: Tag }
      permissions: { list: ['*'], get: [owner], create: [authenticated], update: ['*'], delete: [owner] }
    Sheet:
      features: { export: true, import: true, softDelete: true, audit: true, versioning: true, caching: true }
      object: { text: string, status: string, deletedAt: datetime }
      relationships: { folder: { type: belongsTo, target: Folder } }
      stateMachine:
        field: status
        initial: new
        states: { new: { transitions: { finish: { to: done } } }, done: {} }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
      api:
        under: Folder
        directAccess: [get]
        customOperations:
          - { name: stamp, permissions: ['*'], fields: { text: stamped } }
          - { name: sum, method: GET, path: /sum, permissions: ['*'] }
    Note:
      object: { text: string }
      relationships: { folder: { type: belongsTo, target: Folder } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
    Tag:
      object: { name: string }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
`
const BASE = '/api/v1/papers'
const NOTHING = '00000000-0000-7000-8000-000000000000'

for (const store of STORES) {
  describe(`routes below a parent on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: PAPERS })
    let owner: TestAccount
    let stranger: TestAccount
    let folder = ''
    let gone = ''
    let sheet = ''
    let tag = ''

    beforeAll(async () => {
      owner = await server().account('owner')
      stranger = await server().account('stranger')
      folder = (await send('POST', '/folders', owner, { name: 'mine' })).body.data.id
      gone = (await send('POST', '/folders', owner, { name: 'gone' })).body.data.id
      sheet = (await send('POST', `/folders/${folder}/sheets`, owner, { text: 'a' })).body.data.id
      tag = (await send('POST', '/tags', owner, { name: 'red' })).body.data.id
      await send('DELETE', `/folders/${gone}`, owner)
    })

    const send = (method: string, path: string, who?: TestAccount, body?: unknown, headers = {}) =>
      server().request(method, `${BASE}${path}`, {
        headers,
        ...(who && { token: who.token }),
        ...(body !== undefined && { body }),
      })

    type Below = readonly [method: string, below: string, body?: unknown]
    const BELOW: readonly Below[] = [
      ['GET', '/sheets'],
      ['GET', '/sheets/count'],
      ['GET', '/sheets/distinct/text'],
      ['GET', '/sheets/export'],
      ['GET', '/sheets/sum'],
      ['GET', '/sheets/audit'],
      ['GET', '/sheets/SHEET'],
      ['GET', '/sheets/SHEET/audit'],
      ['GET', '/sheets/SHEET/versions'],
      ['POST', '/sheets', { text: 'b' }],
      ['POST', '/sheets', { text: 5 }],
      ['POST', '/sheets/bulk', [{ text: 'b' }]],
      ['POST', '/sheets/import', [{ text: 'b' }]],
      ['PATCH', '/sheets/bulk', { ids: ['SHEET'], data: {} }],
      ['DELETE', '/sheets/bulk', { ids: [] }],
      ['PATCH', '/sheets/SHEET', { text: 'c' }],
      ['PUT', '/sheets/SHEET', { text: 'c' }],
      ['POST', '/sheets/SHEET/transitions/finish', {}],
      ['POST', '/sheets/SHEET/stamp', {}],
      ['POST', '/sheets/SHEET/revert', { version: 1 }],
      ['GET', '/notes'],
      ['GET', '/tags'],
      ['POST', '/tags', { tagId: 'TAG' }],
      ['DELETE', '/tags/TAG'],
      ['DELETE', '/sheets/SHEET'],
      ['POST', '/sheets/SHEET/restore'],
    ]
    const filled = <T>(value: T): T =>
      value === undefined
        ? value
        : JSON.parse(JSON.stringify(value).replaceAll('SHEET', sheet).replaceAll('TAG', tag))

    it.each(BELOW.map(([method, below, body]) => ({ method, below, body })))(
      'are 404 without one that the caller may get: $method $below (ruling 4.4)',
      async ({ method, below, body }) => {
        const ask = async (above: string, who?: TestAccount) => {
          const { status } = await send(method, `/folders/${above}${filled(below)}`, who, filled(body))
          return status
        }
        expect(await ask(NOTHING, owner)).toBe(404)
        expect(await ask('no-key', owner)).toBe(404)
        expect(await ask(gone, owner)).toBe(404)
        expect(await ask(folder, stranger)).toBe(404)
        expect(await ask(folder)).toBe(404)
        if (!below.endsWith('revert')) expect(await ask(folder, owner)).not.toBe(404)
      },
    )

    it('answer where they do not name the parent, whoever may get that', async () => {
      const made = await send('POST', `/folders/${folder}/sheets`, owner, { text: 'direct' })
      expect((await send('GET', `/sheets/${made.body.data.id}`, stranger)).status).toBe(200)
    })

    it('replay what was once answered, though the parent is gone (ruling 2.9)', async () => {
      const above = (await send('POST', '/folders', owner, { name: 'short' })).body.data.id
      const create = () =>
        send('POST', `/folders/${above}/sheets`, owner, { text: 'once' }, { 'idempotency-key': above })
      const first = await create()
      await send('DELETE', `/folders/${above}`, owner)
      const again = await create()
      expect([again.status, again.body]).toEqual([201, first.body])
      expect(again.headers.get('idempotency-replayed')).toBe('true')
    })
  })
}
