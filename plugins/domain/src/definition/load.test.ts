import { type Variables, variablesOf } from '@svc/kernel'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadDefinition, type LoadedDefinition } from './load.ts'
import { DefinitionError } from './problem.ts'

const extensions = { typeAttributes: {}, domainBlocks: {}, resourceBlocks: {} }
const none: Variables = () => undefined

const text = (content: string, variables = none) =>
  loadDefinition({ text: content }, { extensions, variables })

const links = z.record(
  z.string(),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['rest', 'web']), baseUrl: z.string() }),
    z.strictObject({ type: z.literal('amqp'), url: z.string().optional() }),
  ]),
)

/** A definition with a link of one of several kinds. */
const linked = (link: string) =>
  loadDefinition(
    { text: `${HEAD}  links: { a: ${link} }\n${POST}        id: uuid\n` },
    { extensions: { ...extensions, domainBlocks: { links } }, variables: none },
  )

const HEAD = 'domain:\n  name: shop\n  version: "1.0"\n'
const POST = '  resources:\n    Post:\n      object:\n'
const object = async (loading: Promise<LoadedDefinition>) =>
  (await loading).definition.resources['Post']?.object

const messages = async (loading: Promise<unknown>): Promise<string> => {
  const error = await loading.catch((one: unknown) => one)
  return error instanceof DefinitionError ? error.message : `no DefinitionError: ${String(error)}`
}

describe('a definition as text', () => {
  it('is the same in YAML and in JSON', async () => {
    const yaml = await text(`${HEAD}${POST}        id: uuid\n`)
    const json = await text(
      '\uFEFF \n{"domain":{"version":"1.0","name":"shop","resources":{"Post":{"object":{"id":"uuid"}}}}}',
    )
    expect([yaml.format, json.format]).toEqual(['yaml', 'json'])
    expect(json.definition).toEqual(yaml.definition)
    expect(json.checksum).toBe(yaml.checksum)
  })

  it('is read in the format that is stated, whatever it looks like', async () => {
    const flow = '{domain: {name: shop, version: "1", resources: {Post: {object: {id: uuid}}}}}'
    expect(await messages(text(flow))).toContain('not JSON')
    const loaded = await loadDefinition({ text: flow, format: 'yaml' }, { extensions, variables: none })
    expect(loaded.definition.name).toBe('shop')
  })

  it('keeps YAML 1.1 words, dates and keys that are no text as text', async () => {
    const { definition } = await text(
      `${HEAD}  config: { a: yes, b: 2001-12-14, c: 0x1F, 1: one, true: two, null: three }\n${POST}        id: uuid\n`,
    )
    expect(definition.config).toEqual({
      a: 'yes',
      b: '2001-12-14',
      c: 31,
      1: 'one',
      true: 'two',
      null: 'three',
    })
  })

  it('may share a part by an alias', async () => {
    const fields = await object(text(`${HEAD}${POST}        a: &t { type: string }\n        b: *t\n`))
    expect(fields).toEqual({ a: { type: 'string' }, b: { type: 'string' } })
  })

  it('cannot be changed once it is loaded', async () => {
    const { definition } = await text(`${HEAD}${POST}        title: { type: string }\n`)
    expect(() => Object.assign(definition.resources['Post']?.object['title'] ?? {}, { type: 'x' })).toThrow(
      TypeError,
    )
  })

  it('has a checksum that changes with what it says and with nothing else', async () => {
    const one = await text(`${HEAD}${POST}        a: string\n        b: text\n`)
    const reordered = await text(`# a comment\n${HEAD}${POST}        b: 'text'\n        a: string\n`)
    const other = await text(`${HEAD}${POST}        a: string\n        b: string\n`)
    expect(one.checksum).toMatch(/^[0-9a-f]{64}$/)
    expect(reordered.checksum).toBe(one.checksum)
    expect(other.checksum).not.toBe(one.checksum)
  })

  it('comes back character by character', async () => {
    const written = `${HEAD}${POST}        id: uuid # the key\r\n`
    expect((await text(written)).text).toBe(written)
  })
})

describe('a key that nobody knows', () => {
  it('is a warning with the nearest known key, and has no effect', async () => {
    const { definition, warnings } = await text(
      `${HEAD}  resurces: {}\n${POST}        title: { type: string, requird: true }\n`,
    )
    expect(warnings).toMatchObject([
      { path: ['domain', 'resurces'], hint: "Did you mean 'resources'?", position: { line: 4, column: 3 } },
      {
        path: ['domain', 'resources', 'Post', 'object', 'title', 'requird'],
        hint: "Did you mean 'required'?",
        position: { line: 8, column: 32 },
      },
    ])
    expect(definition.resources['Post']?.object).toEqual({ title: { type: 'string' } })
    expect(definition).not.toHaveProperty('resurces')
  })

  it('is told by what it says, where it is the word of another system', async () => {
    const { warnings } = await text(
      `${HEAD}${POST}        size: { type: string, values: [small, large], nothingLikeIt: 1 }\n`,
    )
    expect(warnings.map(({ path, hint }) => [path.at(-1), hint])).toEqual([
      ['values', "Did you mean 'enum'?"],
      ['nothingLikeIt', undefined],
    ])
  })

  it('is told as what is missing, where it says the same', async () => {
    const post = POST.replace(
      'object:',
      'relationships: { writer: { type: belongsTo, resource: User } }\n      object:',
    )
    expect(await messages(text(`${HEAD}${post}        id: uuid\n`))).toContain(
      "relationships.writer.target: is missing. 'resource' beside it is not known: is 'target' meant?",
    )
    expect(await messages(text(`${HEAD}${POST.replace('object:', 'fields:')}        id: uuid\n`))).toContain(
      "object: is missing. 'fields' beside it is not known: is 'object' meant?",
    )
  })

  it('is told by the kind that its map says it is of', async () => {
    const told = linked('{ type: rest, url: x }')
    expect(await messages(told)).toContain(
      "links.a.baseUrl: is missing. 'url' beside it is not known: is 'baseUrl' meant?",
    )
    const { warnings } = await told.catch((error: DefinitionError) => error as Pick<typeof error, 'warnings'>)
    expect(warnings).toMatchObject([{ hint: "Did you mean 'baseUrl'?" }])
    expect((await linked('{ type: amqp, ulr: x }')).warnings).toMatchObject([{ hint: "Did you mean 'url'?" }])
  })

  it('stays in the resolved document', async () => {
    const { resolved } = await text(`${HEAD}  colour: red\n${POST}        id: uuid\n`)
    expect(resolved).toMatchObject({ domain: { colour: 'red' } })
  })
})

describe('a kind that is none', () => {
  it.each([
    ['{ type: grpc }', 'links.a.type: must be one of rest, web, amqp'],
    ['{ type: https, baseUrl: x }', "must be one of rest, web, amqp. Did you mean 'rest'?"],
    ['{ type: amqb }', "must be one of rest, web, amqp. Did you mean 'amqp'?"],
    ['{ type: rabbitmq }', "must be one of rest, web, amqp. Did you mean 'amqp'?"],
    ['{ type: [rest] }', 'links.a.type: must be one of rest, web, amqp'],
    ['{ baseUrl: x }', 'links.a.type: is missing. Write one of rest, web, amqp'],
  ])('is told with those that there are: %s', async (link, told) => {
    expect(await messages(linked(link))).toContain(told)
  })
})

describe('$ref', () => {
  const parts = `  properties:
    Title: { type: string, maxLength: 80, required: true }
    Short: string
  enums:
    Status: { values: [open, closed] }
  objects:
    Base:
      id: { type: uuid, primaryKey: true }
      title: { $ref: '#/properties/Title' }
`
  it('stands for what it points at, and keys beside it count over that', async () => {
    const fields = await object(
      text(`${HEAD}${parts}${POST}        title: { $ref: '#/properties/Title', maxLength: 20 }\n`),
    )
    expect(fields).toEqual({ title: { type: 'string', maxLength: 20, required: true } })
  })

  it('stands for a field that is only a type, with or without keys beside it', async () => {
    const fields = await object(
      text(
        `${HEAD}${parts}${POST}        a: { $ref: '#/properties/Short' }\n        b: { $ref: '#/properties/Short', unique: true }\n`,
      ),
    )
    expect(fields).toEqual({ a: 'string', b: { type: 'string', unique: true } })
  })

  it('leads on through references in what it points at', async () => {
    const fields = await object(
      text(`${HEAD}${parts}${POST}        $ref: '#/objects/Base'\n        body: text\n`),
    )
    expect(Object.keys(fields ?? {})).toEqual(['id', 'title', 'body'])
    expect(fields?.['title']).toMatchObject({ maxLength: 80 })
  })

  it('stands for the name where a name belongs', async () => {
    const { definition } =
      await text(`${HEAD}${parts}${POST}        status: { type: string, enum: { $ref: '#/enums/Status' } }
        state: { $ref: '#/enums/Status', default: open }
      relationships:
        parent: { type: belongsTo, target: { $ref: '#/resources/Post' } }
`)
    const post = definition.resources['Post']
    expect(post?.object['status']).toEqual({ type: 'string', enum: 'Status' })
    expect(post?.object['state']).toEqual({ type: 'string', enum: 'Status', default: 'open' })
    expect(post?.relationships?.['parent']?.target).toBe('Post')
  })
})

describe('$merge', () => {
  const groups = `  objects:
    One: { id: uuid, title: string }
    Two: { title: text, note: text }
`
  it('takes one reference', async () => {
    const fields = await object(
      text(`${HEAD}${groups}${POST}        own: date\n        $merge: '#/objects/One'\n`),
    )
    expect(Object.entries(fields ?? {})).toEqual([
      ['id', 'uuid'],
      ['title', 'string'],
      ['own', 'date'],
    ])
  })

  it('takes several, of which the later counts, and fields of the object count over all', async () => {
    const fields = await object(
      text(
        `${HEAD}${groups}${POST}        note: slug\n        $merge: ['#/objects/One', { $ref: '#/objects/Two' }]\n`,
      ),
    )
    expect(Object.entries(fields ?? {})).toEqual([
      ['id', 'uuid'],
      ['title', 'text'],
      ['note', 'slug'],
    ])
  })

  it('takes the fields of another resource', async () => {
    const { definition } = await text(
      `${HEAD}${groups}${POST}        $merge: '#/objects/One'\n    Draft: { object: { $merge: '#/resources/Post' } }\n`,
    )
    expect(definition.resources['Draft']?.object).toEqual({ id: 'uuid', title: 'string' })
  })
})

describe('variables', () => {
  const variables = variablesOf({ HOST: 'example.org', EMPTY: '', SVC_DOMAIN_A: 'a' })

  it('are replaced in every text, with a default where they are unset', async () => {
    const { definition } = await text(
      `${HEAD}  config: { a: 'https://\${HOST}:\${PORT:80}/\${PATH_:}', b: ['\${EMPTY:x}'], c: '\${not a variable}' }\n${POST}        id: uuid\n`,
      variables,
    )
    expect(definition.config).toEqual({ a: 'https://example.org:80/', b: [''], c: '${not a variable}' })
  })

  it('are left as written in the resolved document', async () => {
    const { resolved, definition, checksum, meaning } = await text(
      `${HEAD}  config: { key: '\${HOST}' }\n${POST}        id: uuid\n`,
      variables,
    )
    const other = await text(`${HEAD}  config: { key: '\${HOST}' }\n${POST}        id: uuid\n`, () => 'b')
    expect(definition.config).toEqual({ key: 'example.org' })
    expect(JSON.stringify(resolved)).not.toContain('example.org')
    expect(resolved).toMatchObject({ domain: { config: { key: '${HOST}' } } })
    expect(checksum).toBe(other.checksum)
    expect(meaning).not.toBe(other.meaning)
  })

  it('are replaced before references are followed, and never twice', async () => {
    const fields = await object(
      text(
        `${HEAD}  properties: { A: date }\n${POST}        at: { $ref: '#/properties/\${WHICH}' }\n`,
        (name) => (name === 'WHICH' ? 'A' : undefined),
      ),
    )
    expect(fields).toEqual({ at: 'date' })
    const { definition } = await text(
      `${HEAD}  description: '\${A}'\n${POST}        id: uuid\n`,
      () => '${B}',
    )
    expect(definition.description).toBe('${B}')
  })

  it('can be limited to names and prefixes', () => {
    const limited = variablesOf({ HOST: 'h', SVC_DOMAIN_A: 'a', SVC: 's' }, ['SVC_DOMAIN_*', 'SVC'])
    expect(['HOST', 'SVC_DOMAIN_A', 'SVC', 'toString'].map(limited)).toEqual([undefined, 'a', 's', undefined])
  })
})

describe('a definition in files', () => {
  let folder = ''
  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    }
  }
  const file = (name: string) => loadDefinition({ file: join(folder, name) }, { extensions, variables: none })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'definition-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('takes globs relative to the file that has them, in the order of the names', async () => {
    await write({
      'globs/domain.yaml': `$include: [enums.yaml]\n${HEAD}  $include: ['resources/*.yaml', nothing/*.yaml]\n`,
      'globs/enums.yaml': '$include: [more/*.json]\nenums:\n  A: { values: [a] }\n',
      'globs/more/b.json': '{"enums":{"B":{"values":["b"]}}}',
      'globs/resources/1-post.yaml':
        '$include: [../shared/note.yaml]\nresources:\n  Post: { object: { id: uuid } }\n',
      'globs/resources/2-tag.yaml': 'resources:\n  Tag: { object: { id: uuid } }\n',
      'globs/shared/note.yaml': 'resources:\n  Note: { object: { id: uuid } }\n',
    })
    const { definition, warnings, resolved } = await file('globs/domain.yaml')
    expect(Object.keys(definition.resources)).toEqual(['Note', 'Post', 'Tag'])
    expect(Object.keys(definition.enums ?? {})).toEqual(['B', 'A'])
    expect(warnings).toMatchObject([
      { message: "'nothing/*.yaml' matches no file", position: { file: 'domain.yaml' } },
    ])
    expect(JSON.stringify(resolved)).not.toContain('$include')
  })

  it('lets the later file win, and the including file over those that it includes', async () => {
    await write({
      'order/domain.yaml': `$include: [a.yaml, b.yaml]\n${HEAD}  enums:\n    Own: { values: [own] }\n${POST}        id: uuid\n`,
      'order/a.yaml':
        'description: a\nenums:\n  Both: { values: [a], description: kept }\n  Own: { values: [a] }\n',
      'order/b.yaml': 'description: b\nenums:\n  Both: { values: [b] }\n',
    })
    const { definition } = await file('order/domain.yaml')
    expect(definition.description).toBe('b')
    expect(definition.enums).toEqual({
      Both: { values: ['b'], description: 'kept' },
      Own: { values: ['own'] },
    })
  })

  it('replaces what has a $ref as a whole', async () => {
    await write({
      'whole/domain.yaml': `$include: [a.yaml, b.yaml]\n${HEAD}  properties: { T: text }\n`,
      'whole/a.yaml': 'resources:\n  Post: { object: { title: { type: string, maxLength: 9 } } }\n',
      'whole/b.yaml': "resources:\n  Post: { object: { title: { $ref: '#/properties/T' } } }\n",
    })
    expect(await object(file('whole/domain.yaml'))).toEqual({ title: 'text' })
  })

  it("refers to another file's own content, from where the reference is written", async () => {
    await write({
      'refs/domain.yaml': `${HEAD}  $include: [part/post.yaml]\n`,
      'refs/part/post.yaml':
        "resources:\n  Post: { object: { title: { $ref: 'fields.yaml#/text/title' } } }\n",
      'refs/part/fields.yaml': "text:\n  title: { $ref: '../base.json#/line', required: true }\n",
      'refs/base.json': '{"line":{"type":"string"}}',
    })
    expect(await object(file('refs/domain.yaml'))).toEqual({ title: { type: 'string', required: true } })
  })

  it('knows the file and line of everything, through every directive', async () => {
    await write({
      'places/domain.yaml': `$include: [post.yaml]\n${HEAD}  objects:\n    Base:\n      id: uuid\n  properties:\n    T:\n      type: string\n`,
      'places/post.yaml':
        "resources:\n  Post:\n    object:\n      $merge: '#/objects/Base'\n      title: { $ref: '#/properties/T',\n        unique: true }\n",
    })
    const { positionOf } = await file('places/domain.yaml')
    const at = (...path: string[]) => {
      const { file: name, line } = positionOf(['domain', 'resources', 'Post', ...path])
      return `${name}:${line}`
    }
    expect(at()).toBe('post.yaml:2')
    expect(at('object', 'id')).toBe('domain.yaml:7')
    expect(at('object', 'title')).toBe('post.yaml:5')
    expect(at('object', 'title', 'type')).toBe('domain.yaml:10')
    expect(at('object', 'title', 'unique')).toBe('post.yaml:6')
    expect(at('object', 'title', 'pattern')).toBe('post.yaml:5')
    expect(positionOf([])).toMatchObject({ file: 'domain.yaml', line: 1 })
  })

  it('never reads outside its folder, through links neither', async () => {
    await write({
      'outside.yaml': 'enums: {}\n',
      'inside/domain.yaml': `$include: [link.yaml, ../outside.yaml, /etc/hostname]\n${HEAD}${POST}        a: { $ref: '../outside.yaml#/enums' }\n`,
    })
    await symlink(join(folder, 'outside.yaml'), join(folder, 'inside/link.yaml'))
    const said = await messages(file('inside/domain.yaml'))
    expect(said).toContain("'link.yaml' leads outside")
    expect(said).toContain("'../outside.yaml' stands outside")
    expect(said).toContain("'/etc/hostname' stands outside")
    await write({ 'inside/domain.yaml': `${HEAD}${POST}        a: { $ref: 'link.yaml#/enums' }\n` })
    expect(await messages(file('inside/domain.yaml'))).toContain("'link.yaml' leads outside")
  })

  it('counts its files together', async () => {
    const long = `config: { long: ${'x'.repeat(3_000_000)} }\n`
    await write({
      'long/domain.yaml': `$include: [a.yaml, b.yaml]\n${HEAD}`,
      'long/a.yaml': long,
      'long/b.yaml': long,
    })
    expect(await messages(file('long/domain.yaml'))).toContain('larger than 5 MiB')
  })

  it('is refused in one sentence where the file cannot be read', async () => {
    await mkdir(join(folder, 'empty'), { recursive: true })
    await writeFile(join(folder, 'latin.yaml'), Buffer.from([0x61, 0xe9, 0x62]))
    expect(await messages(file('nowhere.yaml'))).toMatch(/nowhere.yaml' does not exist/)
    expect(await messages(file('empty'))).toMatch(/is no file/)
    expect(await messages(file('latin.yaml'))).toMatch(/not written in UTF-8/)
  })
})
