import { DomainsCapability, type FieldType } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

/** A type of a third party, which shortens what it is given and says so. */
const shout: FieldType = {
  name: 'shout',
  aliases: [],
  column: 'text',
  attributes: {},
  uses: [],
  operators: ['eq', 'null'],
  sortable: true,
  searchable: false,
  readable: true,
  generated: false,
  compile: () => ({
    check(value) {
      const text = String(value)
      const short = text.replace(/!+$/, '!')
      if (short === text) return { value: text }
      return { value: short, remarks: [{ rule: 'shout', message: 'was shortened to one mark' }] }
    },
    parseText: (text) => text,
    openapi: { type: 'string' },
    facts: { loudness: 11, type: 'never shown' },
  }),
}

const plugin = definePlugin({
  name: 'shouts',
  phase: 'domain',
  requires: { domains: DomainsCapability },
  setup: ({ domains }) => domains.fieldType(shout),
})

const definition = `
domain:
  name: crowd
  version: '1'
  resources:
    Fan:
      object:
        cry: { type: shout }
        card: { type: component, fields: { cries: { type: array, items: shout } } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`
const FANS = '/api/v1/crowd/fans'

for (const store of STORES) {
  describe(`what a field type remarks on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin], definition })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const remark = (field: string) => ({
      rule: 'shout',
      message: `'${field}' was shortened to one mark`,
      severity: 'warning',
      regulation: null,
    })

    it('is a warning of the answer, with the place inside of other fields', async () => {
      const { body } = await send('POST', FANS, { cry: 'Hey!!!', card: { cries: ['a', 'b!!'] } })
      expect([body.data.cry, body.data.card]).toEqual(['Hey!', { cries: ['a', 'b!'] }])
      expect(body.warnings).toEqual([remark('cry'), remark('card.cries.1')])
    })

    it('says which row of many it is about', async () => {
      const { body } = await send('POST', `${FANS}/bulk`, { items: [{ cry: 'a' }, { cry: 'b!!' }] })
      expect(body.warnings).toEqual([{ ...remark('cry'), index: 1 }])
    })

    it('is not told of a value that is refused for something else', async () => {
      const { status, body } = await send('POST', FANS, { card: { cries: ['b!!', null] } })
      expect([status, body.errors.map(({ field }: any) => field), body.warnings]).toEqual([
        422,
        ['card.cries.1'],
        undefined,
      ])
    })

    it('is a warning of the definition where it is about a default', async () => {
      const content = definition.replace('cry: { type: shout }', "cry: { type: shout, default: 'Hey!!' }")
      const { status, body } = await send('POST', '/api/v1/domains', { content })
      expect([status, JSON.stringify(body.warnings)]).toEqual([
        201,
        expect.stringContaining('the default was shortened to one mark'),
      ])
      expect((await send('POST', FANS, {})).body.data.cry).toBe('Hey!')
    })

    it('stands beside facts of the field in the schema, which overwrite nothing', async () => {
      const { body } = await send('GET', '/api/v1/domains/crowd/schema')
      expect(body.data.resources.Fan.fields.cry).toMatchObject({ type: 'shout', loudness: 11 })
    })
  })
}
