import { expect, it, describe } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const definition = (computed: string) => `
domain:
  name: plain
  version: '1.0.0'
  resources:
    Box:
      object: { name: string }
      relationships:
        things: { type: hasMany, target: Thing, foreignKey: boxId }
      ${computed}
      permissions: { list: ['*'], create: ['*'] }
    Thing:
      object: { boxId: uuid, weight: integer }
      permissions: { list: ['*'], create: ['*'] }
`
const REACHING = definition('computed: { weight: sum(things.weight) }')

for (const store of STORES) {
  describe(`indexes for expressions that reach on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const submit = (content: string, path = '/api/v1/domains') =>
      server().request('POST', path, { token: server().admin, body: { content, format: 'yaml' } })
    const steps = async (content: string) => {
      const { body } = await submit(content, '/api/v1/domains/plain/preview')
      return body.data.steps.map(({ kind, message }: { kind: string; message: string }) => [kind, message])
    }

    it('[9.6] are made where none is declared, and the answer tells', async () => {
      const { body } = await submit(definition(''))
      expect(body.data.indexes).toBeUndefined()
      expect(await steps(REACHING)).toEqual([
        ['createIndex', expect.stringContaining('plain_thing__boxId__idx')],
      ])
      const reaching = await submit(REACHING)
      expect(reaching.body.data.indexes).toEqual([{ resource: 'Thing', field: 'boxId', for: 'Box.things' }])
      expect(await steps(REACHING)).toEqual([])
    })

    it('[9.6] are dropped when nothing goes that way any more', async () => {
      expect(await steps(definition(''))).toEqual([
        ['dropIndex', expect.stringContaining('plain_thing__boxId__idx')],
      ])
      const declared = REACHING.replace(
        'weight: integer }',
        'weight: integer }\n      indexes: [{ fields: [boxId] }]',
      )
      expect((await submit(declared)).body.data.indexes).toBeUndefined()
    })
  })
}
