import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import type { TestAccount } from '../../kit/test-kernel.ts'
import { useLab } from './kit.ts'
import { SAMPLES } from './lab.ts'
import { HOOKS, OPERATIONS } from './scripts.ts'

for (const store of STORES) {
  describe(`scripts on ${store.name}`, () => {
    const lab = useLab(store, { 'hooks.js': HOOKS, 'operations.js': OPERATIONS })
    let user: TestAccount
    beforeAll(async () => {
      user = await lab().account('user')
    })

    const post = (path: string, body: object = {}) => lab().request('POST', path, { token: user.token, body })
    const get = async (path: string) => (await lab().request('GET', path, { token: user.token })).body.data
    const told = async (...args: Parameters<typeof post>) => {
      const { status, body } = await post(...args)
      return [status, body.error_code, body.error_message]
    }
    const test = (path: string) => told(`${path}/transitions/test`)

    describe('an onExit hook', () => {
      it('lets a transition pass, or refuses it with its message and nothing is written', async () => {
        expect((await test(await lab().sample('good')))[0]).toBe(200)
        const path = await lab().sample('refused')
        expect(await test(path)).toEqual([422, 'HOOK_FAILED', 'the judge says no'])
        expect(await get(path)).toMatchObject({ status: 'fresh', note: null })
      })

      it('is asked for a move by PATCH as well', async () => {
        const path = await lab().sample('refused')
        const { status, body } = await lab().request('PATCH', path, {
          token: user.token,
          body: { status: 'tested' },
        })
        expect([status, body.error_code]).toEqual([422, 'HOOK_FAILED'])
      })

      it('refuses by whatever it throws', async () => {
        expect(await test(await lab().sample('text'))).toEqual([422, 'HOOK_FAILED', 'just text'])
        expect(await test(await lab().sample('object'))).toEqual([422, 'HOOK_FAILED', 'an object'])
        expect((await test(await lab().sample('nothing'))).slice(0, 2)).toEqual([422, 'HOOK_FAILED'])
      })

      it('fails with the error of an action that it does not catch', async () => {
        const path = await lab().sample('missing')
        expect(await test(path)).toEqual([422, 'HOOK_FAILED', "There is no Sample 'nonsense'"])
      })

      it('hears the name, the record as it would be, what it was and who asks', async () => {
        const path = await lab().sample('told')
        await post(`${path}/transitions/test`, { note: 'a body' })
        const [entry] = await lab().entries('svc.lab.sample.judge', path)
        expect(entry?.detail).toMatchObject({
          name: 'svc.lab.sample.judge',
          domain: 'lab',
          resource: 'Sample',
          hook: 'judge',
          transition: 'test',
          record: { status: 'tested', note: 'under test' },
          previous: { status: 'fresh', note: null },
          input: { note: 'a body' },
          actor: { id: user.id, username: 'user' },
        })
        expect(entry?.detail.record).not.toHaveProperty('secret')
      })

      it('keeps the hooks after it from being asked when it refuses', async () => {
        const refused = await lab().sample('refused')
        await test(refused)
        expect(await lab().entries('second', refused)).toEqual([])
        const ordered = await lab().sample('ordered')
        await test(ordered)
        expect(await lab().entries('second', ordered)).toHaveLength(1)
      })

      it('may write the same record before the transition writes it', async () => {
        const path = await lab().sample('writer')
        expect((await test(path))[0]).toBe(200)
        expect(await get(path)).toMatchObject({ status: 'tested', grade: 7, note: 'under test' })
      })

      it('that sets itself off is refused at a bounded depth', async () => {
        const path = await lab().sample('recursive')
        expect(await test(path)).toEqual([
          422,
          'HOOK_FAILED',
          'Scripts set each other off without end: one of them has to stop',
        ])
        expect((await get(path)).status).toBe('fresh')
      })

      it('serves many requests at once', async () => {
        const paths = await Promise.all(Array.from({ length: 30 }, () => lab().sample('writer')))
        expect(new Set((await Promise.all(paths.map(test))).map(([status]) => status))).toEqual(
          new Set([200]),
        )
      })
    })

    describe('what happens after the commit', () => {
      it('is heard by onEnter hooks, whose failure changes nothing', async () => {
        const path = await lab().sample('plain')
        expect((await test(path))[0]).toBe(200)
        await expect.poll(() => lab().entries('arrived', path)).toHaveLength(1)
        const [entry] = await lab().entries('arrived', path)
        expect(entry?.detail).toMatchObject({
          hook: 'arrived',
          transition: 'test',
          actor: { username: 'user' },
        })
        expect((await get(path)).status).toBe('tested')
      })

      it('is heard by handlers of record events, with an empty input', async () => {
        const path = await lab().sample('echo')
        await expect.poll(() => lab().entries('created', path)).toHaveLength(1)
        expect((await lab().entries('created', path))[0]?.detail).toMatchObject({
          name: 'svc.lab.sample.created',
          action: 'created',
          input: null,
          previous: null,
          record: { title: 'echo' },
          actor: { username: 'admin' },
        })
      })

      it('is heard under names that end in a star', async () => {
        const path = await lab().sample('star')
        await lab().request('PATCH', path, { token: user.token, body: { note: 'x' } })
        await expect.poll(() => lab().entries('wild', path)).toHaveLength(1)
      })

      it('sets scripts off to a bounded depth', async () => {
        await lab().sample('rabbit')
        const rabbits = () => get(`${SAMPLES}?filter[title][eq]=rabbit&limit=100`)
        await expect.poll(async () => (await rabbits()).count).toBe(9)
        // What comes after in the same script has had its turn.
        const after = await lab().sample('echo')
        await expect.poll(() => lab().entries('created', after)).toHaveLength(1)
        expect((await rabbits()).count).toBe(9)
      })
    })

    describe('a custom operation', () => {
      it('answers what its handler returns, and is written all the same', async () => {
        const path = await lab().sample('parcel')
        const { status, body } = await post(`${path}/stamp`)
        expect([status, body.data]).toEqual([
          200,
          { stamped: 'stamped', before: null, by: 'user', operation: 'stamp' },
        ])
        expect((await get(path)).note).toBe('stamped')
      })

      it('answers the record where its handler returns nothing', async () => {
        const path = await lab().sample('parcel')
        expect((await post(`${path}/silent`)).body.data).toMatchObject({ title: 'parcel', note: 'silent' })
      })

      it('is refused by what its handler throws, and nothing is written', async () => {
        const path = await lab().sample('parcel')
        expect(await told(`${path}/stamp`, { title: 'no' })).toEqual([422, 'HOOK_FAILED', 'no stamps today'])
        expect(await get(path)).toMatchObject({ title: 'parcel', note: null })
      })

      it('may read and write its own record on the way', async () => {
        const path = await lab().sample('parcel')
        expect((await post(`${path}/stamp`, { title: 'self' })).body.data).toEqual({ grade: 3 })
        expect(await get(path)).toMatchObject({ title: 'self', grade: 3, note: 'stamped' })
      })

      it('that calls itself is refused at a bounded depth, and nothing is written', async () => {
        const path = await lab().sample('parcel')
        expect((await told(`${path}/loop`)).slice(0, 2)).toEqual([422, 'HOOK_FAILED'])
        expect((await get(path)).note).toBeNull()
      })

      it('of the method GET hears the query', async () => {
        const path = await lab().sample('parcel')
        expect(await get(`${path}/peek?days=3`)).toEqual({ seen: 'parcel', days: '3' })
      })
    })

    describe('what crosses the border', () => {
      const probe = async (kind: string) => {
        const { status, body } = await post(`${SAMPLES}/probe`, { kind })
        return status === 200 ? body.data : [status, body.error_code, body.error_message]
      }
      const refused = (message: string) => [422, 'HOOK_FAILED', expect.stringContaining(message)]

      it('is JSON: what JSON lacks is left out, empty or refused', async () => {
        expect(await probe('date')).toEqual({ at: '1970-01-01T00:00:00.000Z', nan: null })
        expect(await probe('nan')).toBeNull()
        expect(await probe('nothing')).toBeNull()
        expect(await probe('function')).toEqual(refused('no JSON'))
        expect(await probe('bigint')).toEqual(refused('BigInt'))
        expect(await probe('cycle')).toEqual(refused('circular'))
      })

      it('is as well formed as a request has to be', async () => {
        for (const kind of ['proto', 'nul', 'deep']) {
          expect((await probe(kind)).slice(0, 2)).toEqual([422, 'HOOK_FAILED'])
        }
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
      })

      it('is of bounded size', async () => {
        expect(await probe('largest')).toBe(1024 * 1024 - 2)
        expect(await probe('large')).toEqual(refused('too long'))
      })

      it('brings the documented errors of actions back as errors', async () => {
        expect(await probe('errors')).toEqual([
          ['NOT_FOUND', true],
          ['NOT_FOUND', true],
          ['VALIDATION_ERROR', true],
          ['VALIDATION_ERROR', true],
          ['VALIDATION_ERROR', true],
          ['VALIDATION_ERROR', true],
          ['VALIDATION_ERROR', true],
          ['VALIDATION_ERROR', true],
          [null, true],
          ['NO_JSON', true],
        ])
        expect(await probe('faults')).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ field: 'title', rule: 'required' }),
            expect.objectContaining({ field: 'grade', rule: 'type' }),
          ]),
        )
      })

      it('takes query parameters by name, numbers too', async () => {
        expect(await probe('list')).toBe(0)
      })

      it('does not touch the event of another handler', async () => {
        expect(await probe('own')).toBe('yes')
        expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
      })

      it('is a hundred calls at once, and no more', async () => {
        expect(await probe('many')).toEqual(['TOO_MANY_CALLS'])
      })
    })

    it('has no way out of a script', async () => {
      const probe = async (kind: string) => (await post(`${SAMPLES}/probe`, { kind })).body.data
      expect(await probe('globals')).toEqual([])
      expect(await probe('import')).toContain('could not load module')
      expect(await probe('reach')).toBe('undefined')
    })
  })
}
