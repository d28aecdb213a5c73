import { createKernel } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../../test/kit/stores.ts'
import { languageSchema } from '../definition/json-schema.ts'
import { domain } from '../index.ts'
import { createLanguage } from './read-model.ts'

describe('GET /api/v1/definition.schema.json', () => {
  it('answers the language as this server speaks it, to everybody and without envelope', async () => {
    const database = await STORES[0]!.open()
    const kernel = createKernel({ config: database.config(), plugins: [STORES[0]!.plugin, domain] })
    try {
      await kernel.start()
      const action = kernel.actions.find('svc.domain.language')!
      expect(action).toMatchObject({ access: ['*'], routes: ['GET /api/v1/definition.schema.json'] })
      const answer = await action.handle({}, {} as never)
      const { content } = answer as { content: { type: string; body: string } }
      expect(content.type).toBe('application/schema+json')
      const { extensions, types } = createLanguage()
      expect(JSON.parse(content.body)).toEqual(languageSchema(extensions, types.names))
    } finally {
      await kernel.stop()
      await database.drop()
    }
  })
})
