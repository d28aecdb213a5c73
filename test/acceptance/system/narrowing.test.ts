import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

type Json = Readonly<Record<string, unknown>>

const ALL = ['*']
const OPEN = { list: ALL, get: ALL, create: ALL, update: ALL, delete: ALL }

for (const store of STORES) {
  describe(`narrowing on ${store.name}`, () => {
    const server = useTestKernel({ store })
    let domains = 0

    /** A domain of its own, whose one resource is called Thing. */
    function domain() {
      const name = `n${(domains += 1)}`
      const things = `/api/v1/${name}/things`
      const send = async (method: string, path: string, body?: unknown) => {
        const sent = { token: server().admin, ...(body !== undefined && { body }) }
        const { status, body: answer } = await server().request(method, path, sent)
        return { ...answer, status }
      }
      const text = (thing: Json) =>
        JSON.stringify({
          domain: { name, version: '1', resources: { Thing: { permissions: OPEN, ...thing } } },
        })
      return {
        submit: (object: Json, more: Json = {}, options: Json = { allow_destructive: true }) =>
          send('POST', '/api/v1/domains', { content: text({ object, ...more }), ...options }),
        preview: async (object: Json, more: Json = {}) =>
          (await send('POST', `/api/v1/domains/${name}/preview`, { content: text({ object, ...more }) }))
            .data,
        rollback: () => send('POST', `/api/v1/domains/${name}/rollback`),
        create: async (...records: readonly Json[]) => {
          const { data } = await send('POST', `${things}/bulk`, { items: records })
          expect(data.errors).toEqual([])
        },
        values: async (field: string) =>
          (await send('GET', `${things}?sort=nr&limit=100`)).data.items.map((one: Json) => one[field]),
      }
    }
    const NR = { nr: { type: 'integer', primaryKey: true } }
    const field = (type: string, more: Json = {}) => ({ ...NR, value: { type, ...more } })
    const required = (type: string, more: Json = {}) => field(type, { required: true, ...more })

    it.each<[string, Json, Json, readonly unknown[], readonly unknown[]]>([
      [
        'text is cut',
        required('string'),
        required('string', { maxLength: 3 }),
        ['ab', '𠮷𠮷𠮷𠮷', 'abcd'],
        ['ab', '𠮷𠮷𠮷', 'abc'],
      ],
      [
        'numbers are bounded',
        required('integer'),
        required('integer', { min: 2, max: 5 }),
        [1, 3, 9],
        [2, 3, 5],
      ],
      [
        'numbers are rounded',
        required('decimal'),
        required('integer', { max: 5 }),
        [1.2, 2.5, 7.9],
        [1, 3, 5],
      ],
      ['places are rounded', required('decimal'), required('decimal', { scale: 1 }), [1.25, 2.04], [1.3, 2]],
      ['sizes begin at none', required('integer'), required('bytes'), [-4, 4], [0, 4]],
      [
        'days are bounded',
        required('date'),
        required('date', { min: '2026-01-01' }),
        ['2025-12-31', '2026-02-01'],
        ['2026-01-01', '2026-02-01'],
      ],
      [
        'numbers become texts that are cut',
        required('integer'),
        required('string', { maxLength: 2 }),
        [1, 123],
        ['1', '12'],
      ],
      [
        'a default is taken first',
        required('string'),
        required('string', { maxLength: 3, default: 'new' }),
        ['ab', 'abcd'],
        ['ab', 'new'],
      ],
      [
        'what may be null becomes null',
        field('string'),
        field('string', { maxLength: 3 }),
        ['ab', 'abcd'],
        ['ab', null],
      ],
    ])('keeps the nearest value of a required field: %s (3.24)', async (_, before, after, stored, wanted) => {
      const one = domain()
      await one.submit(before)
      await one.create(...stored.map((value, nr) => ({ nr, value })))
      expect((await one.submit(after)).status).toBe(201)
      expect(await one.values('value')).toEqual(wanted)
      expect((await one.rollback()).status).toBe(200)
      expect(await one.values('value')).toHaveLength(stored.length)
    })

    it.each<[string, Json, Json, readonly unknown[]]>([
      ['texts that are no numbers', required('string'), required('integer'), ['12', 'x']],
      [
        'values of an enumeration that are gone',
        required('string', { enum: ['a', 'b'] }),
        required('string', { enum: ['a'] }),
        ['a', 'b'],
      ],
      ['texts that are too short', required('string'), required('string', { minLength: 3 }), ['abc', 'a']],
      ['texts that do not match', required('string'), required('string', { pattern: '^a' }), ['abc', 'b']],
      [
        'keys that are too long',
        { nr: { type: 'string', primaryKey: true }, value: 'string' },
        { nr: { type: 'string', primaryKey: true, maxLength: 1 }, value: 'string' },
        ['0', '1'],
      ],
    ])(
      'is refused where a required field would be left without a value: %s (3.24)',
      async (what, before, after, stored) => {
        const one = domain()
        await one.submit(before)
        const isKey = what.startsWith('keys')
        await one.create(
          ...stored.map((value, at) => (isKey ? { nr: 'k'.repeat(at + 1) } : { nr: at, value })),
        )
        const asked = await one.submit(after, {}, {})
        expect([asked.status, asked.error_code]).toEqual([422, 'DESTRUCTIVE_MIGRATION'])
        const refused = await one.submit(after)
        expect([refused.status, refused.error_code]).toEqual([409, 'CONFLICT'])
        expect(refused.error_message).toContain('1 of 2 records is concerned')
        expect(refused.error_message).toContain('It is refused: 1 of them')
        if (!isKey) expect(await one.values('value')).toEqual(stored)
      },
    )

    it('is refused where a required key would lead nowhere (3.24)', async () => {
      const one = domain()
      const linked = (onDelete: string) => ({
        relationships: {
          other: { type: 'belongsTo', target: 'Thing', foreignKey: 'otherId', required: true, onDelete },
        },
      })
      const object = { ...NR, otherId: 'integer' }
      await one.submit(object)
      await one.create({ nr: 1, otherId: 1 }, { nr: 2, otherId: 9 })
      const refused = await one.submit(object, linked('cascade'))
      expect([refused.status, refused.error_code]).toEqual([409, 'CONFLICT'])
      expect(await one.values('otherId')).toEqual([1, 9])
    })

    it('tells how many of how many records are concerned, with examples (3.24)', async () => {
      const one = domain()
      await one.submit(field('string'))
      const texts = Array.from({ length: 9 }, (_, nr) => ({ nr, value: nr < 5 ? `longer ${nr}` : null }))
      await one.create(...texts)
      const shorter = field('string', { maxLength: 3, required: true })
      const { steps, messages, destructive } = await one.preview(shorter)
      expect(destructive).toBe(true)
      expect(steps[0]).toMatchObject({
        kind: 'checkColumn',
        destructive: true,
        rows: {
          concerned: 5,
          of: 9,
          examples: [0, 1, 2].map((nr) => ({ key: nr, value: `longer ${nr}`, becomes: 'lon' })),
        },
      })
      expect(messages[0]).toContain('5 of 9 records are concerned, such as 0 with "longer 0" becomes "lon"')
      expect(messages[1]).toContain("'value' becomes required")
      expect(messages[1]).toContain('4 of 9 records are concerned, such as 5; 6; 7')
      const refused = await one.submit(shorter, {}, {})
      expect([refused.status, refused.data]).toEqual([422, messages])
      const dropped = await one.preview(NR)
      expect(dropped.messages[0]).toContain('5 of 9 records are concerned, such as 0 with "longer 0"')
    })

    it('shows no value that is secret, and none that the administrator may not read (3.24, 4.3)', async () => {
      const one = domain()
      const secrets = {
        password: { type: 'password' },
        token: { type: 'token' },
        hidden: { type: 'string', hidden: true, requestable: true },
        sensitive: { type: 'string', privacy: { sensitive: true } },
        health: { type: 'string', privacy: { phi: true } },
        boss: 'string',
        masked: 'string',
        inner: { type: 'json' },
      }
      const rules = { boss: { read: ['boss'] }, masked: { read: ['boss'], mask: true } }
      const permissions = { permissions: { ...OPEN, fields: rules } }
      await one.submit({ ...NR, ...secrets }, permissions)
      const record = Object.fromEntries(Object.keys(secrets).map((name) => [name, 'Geheim-1234']))
      await one.create({ nr: 1, ...record, inner: { is: 'Geheim-1234' } })
      const { messages, steps } = await one.preview(NR)
      expect(messages).toHaveLength(Object.keys(secrets).length)
      for (const message of messages) expect(message).toContain('1 of 1 records is concerned, such as 1')
      expect(JSON.stringify([messages, steps])).not.toContain('Geheim')
      const short = Object.fromEntries(
        ['hidden', 'sensitive', 'boss'].map((name) => [name, { type: 'string', maxLength: 2 }]),
      )
      const tighter = await one.submit({ ...NR, ...secrets, ...short }, permissions, {})
      expect(tighter.data.length).toBeGreaterThan(0)
      expect(JSON.stringify(tighter)).not.toContain('Geheim')
      const closed = { permissions: { ...permissions.permissions, list: ['boss'] } }
      await one.submit({ ...NR, ...secrets, plain: 'string' }, closed)
      await one.create({ nr: 2, plain: 'seen' })
      const unseen = await one.preview({ ...NR, ...secrets }, closed)
      expect(unseen.messages[0]).toMatch(/1 of 2 records is concerned$/)
    })

    it('shows no value either that is made of a secret one (3.24)', async () => {
      const one = domain()
      const made = {
        health: { type: 'string', privacy: { phi: true } },
        loud: { type: 'string', computed: { expression: 'upper(health)', stored: true } },
        path: { type: 'slug', from: 'health' },
        again: { type: 'slug', from: 'loud' },
      }
      await one.submit({ ...NR, ...made })
      await one.create({ nr: 1, health: 'Geheim 1234' })
      const { messages, steps } = await one.preview(NR)
      expect(messages.join()).toContain("'path'")
      expect(JSON.stringify([messages, steps])).not.toMatch(/geheim/i)
    })
  })
}
