import { createKernel } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../../test/kit/stores.ts'
import { languageSchema } from '../definition/json-schema.ts'
import { domain } from '../index.ts'
import { createLanguage, readModel } from './read-model.ts'

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

describe('a key whose plugin is not loaded', () => {
  it('[8.9] stays unread and comes back as a warning, features among them', async () => {
    const text = `{ domain: { name: a, version: '1', rules: {}, resources: {
      Post: { object: { title: string }, history: {}, features: { audit: true, versioning: true } } } } }`
    const { model, warnings } = await readModel({ text, format: 'yaml' }, createLanguage(), () => undefined)
    const paths = warnings.map(({ path }) => path.slice(1).join('.'))
    const resource = 'resources.Post'
    expect(paths.toSorted()).toEqual(
      [
        `${resource}.features.audit`,
        `${resource}.features.versioning`,
        `${resource}.history`,
        'rules',
      ].toSorted(),
    )
    expect(model.resources.get('Post')?.features.added).toEqual({})
  })
})
