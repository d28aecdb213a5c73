import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { TestAnswer } from '../../kit/request.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const FILES = `
domain:
  name: files
  version: '1.0.0'
  resources:
    File:
      features: { versioning: true, softDelete: true }
      object:
        title: { type: string, required: true, maxLength: 5 }
        code: { type: string, immutable: true }
        status: string
        reason: string
        createdById: uuid
        deletedAt: datetime
      relationships:
        box: { type: belongsTo, target: Box, required: true }
        shelf: { type: belongsTo, target: Box }
        tags: { type: belongsToMany, target: Tag }
      validation:
        named: { expression: 'title != "bad"', message: Not that }
      permissions:
        list: [owner, reader]
        get: [owner, reader]
        create: [authenticated]
        update: [owner]
        delete: [owner]
        conditional: { update: { shut: [nobody] } }
        transitions: { seal: [sealer], shut: [owner] }
        fields: { reason: { write: [owner] } }
      stateMachine:
        field: status
        initial: open
        states:
          open:
            transitions:
              seal: { to: sealed }
              shut: { to: shut }
              hold: { to: held, guards: [holder] }
          sealed: { transitions: { unseal: { to: open } } }
          held: {}
          shut: { final: true }
      api:
        customOperations:
          - { name: stamp, permissions: [owner], fields: { reason: stamped } }
    Box:
      object: { name: string }
      permissions: { list: ['*'], get: ['*'], create: [authenticated], update: ['*'], delete: [owner] }
    Tag:
      object: { name: string }
      permissions: { get: ['*'], create: [authenticated] }
`
const BASE = '/api/v1/files'
const FILE = `${BASE}/files`
const NOTHING = '00000000-0000-7000-8000-000000000000'

for (const store of STORES) {
  describe(`refusals on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: FILES })
    let owner: TestAccount
    let reader: TestAccount
    let stranger: TestAccount
    let box = ''
    let tag = ''
    let id = ''

    beforeAll(async () => {
      owner = await server().account('owner')
      reader = await server().account('reader', ['reader'])
      stranger = await server().account('stranger', ['sealer', 'holder'])
      box = (await send('POST', `${BASE}/boxes`, owner, { name: 'one' })).body.data.id
      tag = (await send('POST', `${BASE}/tags`, owner, { name: 'red' })).body.data.id
    })
    beforeEach(async () => {
      id = (await send('POST', FILE, owner, { title: 'mine', code: 'A', boxId: box })).body.data.id
    })

    const send = (method: string, path: string, { token }: TestAccount, body?: unknown, headers = {}) =>
      server().request(method, path, { token, headers, ...(body !== undefined && { body }) })
    const outcome = ({ status, body }: TestAnswer) => [status, body?.error_code]
    const rules = ({ body }: TestAnswer) =>
      body.errors.map(({ field, rule }: { field: string; rule: string }) => `${field} ${rule}`).sort()

    const FAULTY = { title: 'far too long', colour: 1, code: 'B', boxId: NOTHING }
    const WRITES: readonly (readonly [method: string, below: string, body?: unknown, headers?: object])[] = [
      ['PATCH', '', FAULTY],
      ['PATCH', '', [1]],
      ['PATCH', '', { title: 'ok' }, { 'if-match': '"old"' }],
      ['PATCH', '', { createdById: NOTHING }, { prefer: 'handling=strict' }],
      ['PATCH', '', { status: 'nowhere' }],
      ['PUT', '', {}],
      ['PUT', '', FAULTY, { 'if-match': '"old"' }],
      ['DELETE', '', undefined, { 'if-match': '"old"' }],
      ['POST', '/stamp', FAULTY],
      ['POST', '/stamp', {}, { 'if-match': '"old"' }],
      ['POST', '/revert', { version: 'x' }],
      ['POST', '/revert', { version: 77 }],
    ]

    it.each(WRITES.map(([method, below, body, headers]) => ({ method, below, body, headers })))(
      'come before a word on the body: $method $below $body (ruling 5.9)',
      async ({ method, below, body, headers }) => {
        for (const who of [stranger, reader]) {
          const answer = await send(method, `${FILE}/${id}${below}`, who, body, headers)
          expect(outcome(answer)).toEqual([403, 'FORBIDDEN'])
          expect(answer.body).not.toHaveProperty('errors')
        }
        expect((await send(method, `${FILE}/${id}${below}`, owner, body, headers)).status).not.toBe(403)
        expect(outcome(await send(method, `${FILE}/${NOTHING}${below}`, stranger, body, headers))).toEqual([
          404,
          'NOT_FOUND',
        ])
      },
    )

    it('come before a word on the body of a restore and of links (rulings 4.4, 5.9)', async () => {
      expect(outcome(await send('POST', `${FILE}/${id}/tags`, reader, {}))).toEqual([403, 'FORBIDDEN'])
      expect(outcome(await send('POST', `${FILE}/${id}/tags`, reader, { tagId: 'x' }))).toEqual([
        403,
        'FORBIDDEN',
      ])
      expect(outcome(await send('DELETE', `${FILE}/${id}/tags/x`, reader))).toEqual([403, 'FORBIDDEN'])
      expect(outcome(await send('POST', `${FILE}/${id}/tags`, stranger, {}))).toEqual([404, 'NOT_FOUND'])
      expect(outcome(await send('POST', `${FILE}/${id}/tags`, owner, {}))).toEqual([422, 'VALIDATION_ERROR'])
      expect(outcome(await send('POST', `${FILE}/${id}/tags`, owner, { tagId: tag }))).toEqual([
        200,
        undefined,
      ])
      await send('DELETE', `${FILE}/${id}`, owner)
      const restored = await send('POST', `${FILE}/${id}/restore`, stranger, undefined, { 'if-match': '"x"' })
      expect(outcome(restored)).toEqual([403, 'FORBIDDEN'])
    })

    it('come before a word on the rows of a bulk and of an upsert', async () => {
      const codes = (answer: TestAnswer) =>
        answer.body.data.errors.map(({ error_code, errors }: { error_code: string; errors: unknown }) => [
          error_code,
          errors,
        ])
      const refused = [['FORBIDDEN', undefined]]
      const data = FAULTY
      expect(codes(await send('PATCH', `${FILE}/bulk`, stranger, { ids: [id], data }))).toEqual(refused)
      expect(codes(await send('PATCH', `${FILE}/bulk`, reader, [{ id, ...data }]))).toEqual(refused)
      expect(codes(await send('DELETE', `${FILE}/bulk`, stranger, { ids: [id] }))).toEqual(refused)
      const items = [{ id, ...data }]
      expect(codes(await send('POST', `${FILE}/bulk`, stranger, { items, upsert: true }))).toEqual(refused)
      expect(codes(await send('POST', `${FILE}/bulk`, owner, { items, upsert: true }))[0][0]).toBe(
        'VALIDATION_ERROR',
      )
    })

    it('are all that a transition request tells who may not get the record (ruling 4.15)', async () => {
      const asked = ['seal', 'hold', 'shut', 'unseal', 'fly']
      const told = async () => {
        const answers = []
        for (const name of asked)
          for (const [body, headers] of [
            [{}, {}],
            [FAULTY, {}],
            [[1], {}],
            [{}, { 'if-match': '"old"' }],
            [{}, { 'if-match': '*' }],
          ] as const)
            answers.push(await send('POST', `${FILE}/${id}/transitions/${name}`, stranger, body, headers))
        return answers.map((answer) => [...outcome(answer), answer.body.error_message, answer.body.data])
      }
      const before = await told()
      expect(new Set(before.map(([status, code]) => `${status} ${code}`))).toEqual(new Set(['403 FORBIDDEN']))
      expect((await send('POST', `${FILE}/${id}/transitions/shut`, owner)).status).toBe(200)
      expect(await told()).toEqual(before)
      expect((await send('GET', `${FILE}/${id}`, owner)).body.data.status).toBe('shut')
    })

    it('of a transition come after its existence for who may get the record (ruling 4.15)', async () => {
      const move = async (name: string, body: unknown, who = reader) =>
        outcome(await send('POST', `${FILE}/${id}/transitions/${name}`, who, body))
      for (const name of ['unseal', 'fly'])
        for (const body of [{}, FAULTY]) expect(await move(name, body)).toEqual([422, 'TRANSITION_DENIED'])
      for (const name of ['seal', 'shut', 'hold'])
        for (const body of [{}, FAULTY]) expect(await move(name, body)).toEqual([403, 'FORBIDDEN'])
      for (const body of [{}, FAULTY]) expect(await move('hold', body, owner)).toEqual([403, 'GUARD_FAILED'])
      expect(await move('shut', FAULTY, owner)).toEqual([422, 'VALIDATION_ERROR'])
    })

    it('tell all faults of a body at once, those that stored records show too (ruling 3.12)', async () => {
      const made = await send('POST', FILE, owner, { title: 'far too long', colour: 1, shelfId: NOTHING })
      expect([made.status, rules(made)]).toEqual([
        422,
        ['boxId required', 'colour unknown', 'shelfId reference', 'title maxLength'],
      ])
      const changed = await send('PATCH', `${FILE}/${id}`, owner, { ...FAULTY, shelfId: 'x' })
      expect([changed.status, rules(changed)]).toEqual([
        422,
        ['boxId reference', 'code immutable', 'colour unknown', 'shelfId format', 'title maxLength'],
      ])
      const replaced = await send('PUT', `${FILE}/${id}`, owner, { code: 'B' })
      expect(rules(replaced)).toEqual(['boxId required', 'code immutable', 'title required'])
      const sound = await send('PATCH', `${FILE}/${id}`, owner, { title: 'bad', code: 'B', boxId: NOTHING })
      expect(rules(sound)).toEqual([' named', 'boxId reference', 'code immutable'])
      const rows = await send('POST', `${FILE}/bulk`, owner, [{ title: 'far too long' }])
      expect(rules({ ...rows, body: rows.body.data.errors[0] })).toEqual([
        'boxId required',
        'title maxLength',
      ])
    })

    it('name the operation and, in production, not the rule (ruling 5.9)', async () => {
      const message = async (method: string, path: string, who: TestAccount, body?: unknown) => {
        const answer = await send(method, path, who, body)
        return [answer.status, answer.body.error_message]
      }
      const file = `${FILE}/${id}`
      expect(await message('PATCH', file, reader, {})).toEqual([
        403,
        "The operation 'update' of 'File' is not open to you",
      ])
      expect(await message('DELETE', file, reader)).toEqual([
        403,
        "The operation 'delete' of 'File' is not open to you",
      ])
      expect(await message('POST', `${file}/stamp`, reader, {})).toEqual([
        403,
        "The operation 'stamp' of 'File' is not open to you",
      ])
      expect(await message('POST', `${file}/transitions/seal`, reader)).toEqual([
        403,
        "The transition 'seal' of 'File' is not open to you",
      ])
      expect(await message('GET', '/api/v1/admin/users', reader)).toEqual([
        403,
        "The operation 'admin.users.list' is not open to you",
      ])
    })
  })
}

describe('refusals in development', () => {
  const server = useTestKernel({ store: STORES[0]!, definition: FILES, environment: 'development' })
  it('name the rule too (ruling 5.9)', async () => {
    const owner = await server().account('owner')
    const reader = await server().account('reader', ['reader'])
    const send = (method: string, path: string, { token }: TestAccount, body: unknown = {}) =>
      server().request(method, path, { token, ...(method !== 'GET' && { body }) })
    const box = (await send('POST', `${BASE}/boxes`, owner, { name: 'one' })).body.data.id
    const file = `${FILE}/${(await send('POST', FILE, owner, { title: 'mine', boxId: box })).body.data.id}`
    const message = async (method: string, path: string, who: TestAccount, body?: unknown) =>
      (await send(method, path, who, body)).body.error_message
    expect(await message('PATCH', file, reader)).toContain('permissions.update is [owner]')
    expect(await message('POST', `${file}/stamp`, reader)).toContain('permissions is [owner]')
    expect(await message('POST', `${file}/transitions/seal`, reader)).toContain(
      'permissions.transitions.seal is [sealer]',
    )
    expect(await message('POST', `${file}/transitions/hold`, owner)).toContain('its guards are [holder]')
    expect(await message('GET', '/api/v1/admin/users', reader)).toContain('it is open to admin')
    await send('POST', `${file}/transitions/shut`, owner)
    expect(await message('PATCH', file, owner)).toContain('permissions.conditional.update.shut is [nobody]')
  })

  it('name what is near an address that is not there, which production does not', async () => {
    const producing = await startTestKernel({ store: STORES[0]!, definition: FILES })
    onTestFinished(producing.stop)
    const told = async (method: string, path: string) => {
      const answers = await Promise.all([server(), producing].map(({ request }) => request(method, path)))
      expect(answers.map(({ status }) => status)).toEqual([404, 404])
      expect(answers[1]!.body.error_message).toBe('Nothing is found at this address')
      return answers[0]!.body.error_message
    }
    expect(await told('POST', `${BASE}/boxs`)).toBe(
      `Nothing is found at this address: did you mean ${BASE}/boxes?`,
    )
    expect(await told('GET', '/auth/me')).toContain(': did you mean /api/v1/auth/me?')
    expect(await told('PUT', '/api/v1/auth/me')).toContain(': it takes GET')
    expect(await told('GET', '/api/v1/auth')).toContain(': below it there are POST /api/v1/auth/')
    expect(await told('GET', '/favicon.png')).toBe('Nothing is found at this address')
  })
})
