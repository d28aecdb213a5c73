import { Ajv2020 } from 'ajv/dist/2020.js'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createFieldTypes } from '../fields/index.ts'
import { type JsonSchema, languageSchema } from './json-schema.ts'

const types = createFieldTypes()
const extensions = {
  typeAttributes: types.attributes,
  domainBlocks: { rules: z.record(z.string(), z.string()).describe('Rules by name.') },
  resourceBlocks: {},
  features: Object.fromEntries(
    ['audit', 'versioning'].map((name) => [name, z.boolean().optional().describe('Of a plugin.')]),
  ),
}
const schema = languageSchema(extensions, types.names)
const validate = new Ajv2020({ allErrors: true, strictTypes: false }).compile(schema)

/** The paths at which a definition is refused. */
function refused(text: string): readonly string[] {
  return validate(load(text)) ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath)
}

const HEAD = '{ domain: { name: shop, version: "1", resources: { Post: { object: '

describe('the JSON Schema of the language', () => {
  it.each([
    ['a reference in place of a field', `${HEAD}{ a: { $ref: '#/properties/a' } } } } } }`],
    ['a reference with keys beside it', `${HEAD}{ a: { $ref: '#/properties/a', required: true } } } } } }`],
    ['groups to merge', `${HEAD}{ $merge: ['#/objects/a', { $ref: '#/objects/b' }], a: string } } } } }`],
    ['one group to merge', `${HEAD}{ $merge: '#/objects/a' } } } } }`],
    ['a reference for a name', `${HEAD}{ a: { type: string, enum: { $ref: '#/enums/A' } } } } } } }`],
    ['files that bring the resources', '{ domain: { name: a, version: "1", $include: [r.yaml] } }'],
    ['files at the top', '{ $include: [r.yaml], domain: { name: a, version: "1" } }'],
    ['keys of plugins', `${HEAD}{ a: string }, audit: { track: [a] } } }, views: {} } }`],
  ])('takes %s', (_, text) => expect(refused(text)).toEqual([]))

  it.each([
    ['no resources', '{ domain: { name: a, version: "1" } }', '/domain'],
    ['a version that is a number', '{ domain: { name: a, version: 1, resources: {} } }', '/domain/version'],
    ['an unknown type', `${HEAD}{ a: strin } } } } }`, '/domain/resources/Post/object/a'],
    [
      'an unknown attribute',
      `${HEAD}{ a: { type: string, requird: true } } } } } }`,
      '/domain/resources/Post/object/a',
    ],
    [
      'an unknown feature',
      `${HEAD}{ a: string }, features: { serch: true } } } } }`,
      '/domain/resources/Post/features',
    ],
    ['a wrong block of a plugin', `${HEAD}{ a: string } } }, rules: { a: 1 } } }`, '/domain/rules/a'],
  ])('refuses %s', (_, text, path) => expect(refused(text)).toContain(path))

  it('says of every key what it is for', () => {
    const silent: string[] = []
    const visit = (node: JsonSchema, path: string): void => {
      for (const [name, property] of Object.entries(node.properties ?? {})) {
        if (typeof property !== 'object') continue
        if (property.description === undefined) silent.push(`${path}/${name}`)
        visit(property, `${path}/${name}`)
      }
      const parts = [...Object.entries(node.$defs ?? {}), ...Object.entries(node.anyOf ?? {})]
      for (const [key, part] of [...parts, ['*', node.additionalProperties], ['*', node.items]] as const)
        if (typeof part === 'object' && !Array.isArray(part)) visit(part, `${path}/${key}`)
    }
    visit(schema, '')
    expect(silent).toEqual([])
  })
})
