import { describe, expect, it } from 'vitest'
import { loadDefinition } from './load.ts'
import { DefinitionError } from './problem.ts'

const extensions = { typeAttributes: {}, domainBlocks: {}, resourceBlocks: {} }
const MiB = 1024 * 1024

/** The message that refuses `text`; everything else fails the test. */
async function refusal(text: string): Promise<string> {
  const error = await loadDefinition({ text }, { extensions, variables: () => undefined }).catch(
    (one: unknown) => one,
  )
  if (!(error instanceof DefinitionError)) throw new Error(`Not refused as a definition: ${String(error)}`)
  return error.message
}

const HEAD = 'domain:\n  name: shop\n  version: "1"\n'
const filled = (part: string, size = 4 * MiB) => part.repeat(Math.floor(size / part.length))
const numbered = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

const aliasBomb = `a0: &a0 [${'x, '.repeat(10)}x]\n${numbered(12, (i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(10)}*a${i}]`)}\n`
const mapBomb = `a0: &a0 { k: v }\n${numbered(60, (i) => `a${i + 1}: &a${i + 1} { l: *a${i}, r: *a${i} }`)}\n`
const deepAliases = `a0: &a0 [x]\n${numbered(200, (i) => `a${i + 1}: &a${i + 1} [*a${i}]`)}\n`
const references = (count: number, body: (previous: string) => string) =>
  `${HEAD}  objects:\n    O0: { a: string }\n${numbered(count, (i) => `    O${i + 1}: ${body(`{ $ref: '#/objects/O${i}' }`)}`)}\n`

const DEEP = /nested deeper than 100|nesting/
const LARGE = /more than 5 MiB/
const MANY = /more than 150000 values/

const hostile: Readonly<Record<string, readonly [text: string, said: RegExp]>> = {
  '1,000 open brackets': [filled('[', 1_000), DEEP],
  '1,000 open braces of JSON': [filled('{"a":', 5_000), DEEP],
  '1,000 nested lists': [`domain: ${'['.repeat(1_000)}${']'.repeat(1_000)}`, DEEP],
  'dashes without end': [`domain:\n  ${filled('- ', 100_000)}`, DEEP],
  'question marks without end': [filled('? ', 100_000), DEEP],
  'indentation without end': [numbered(2_000, (i) => `${' '.repeat(i)}a:`), DEEP],
  'a bomb of lists': [aliasBomb, LARGE],
  'a bomb of maps': [mapBomb, LARGE],
  'a chain of aliases': [deepAliases, DEEP],
  'a bomb of references': [references(60, (last) => `{ l: ${last}, r: ${last} }`), LARGE],
  'a chain of references': [references(200, (last) => `{ next: ${last} }`), DEEP],
  'a bomb of merges': [references(60, (last) => `{ $merge: [${last}, ${last}, ${last}] }`), LARGE],
  'a text past the size': ['#'.repeat(5 * MiB + 1), /larger than 5 MiB/],
  'a text past the size in bytes': ['é'.repeat(3 * MiB), /larger than 5 MiB/],
  'commas without end': [`domain: [${filled('a,')}]`, MANY],
  'empty lists without end': [`{"domain": [${filled('[],')}[]]}`, MANY],
  'documents without end': [filled('---\n'), MANY],
  'a long name': [
    `${HEAD}  resources:\n    ? ${'a'.repeat(MiB / 2)}\n    : { object: { id: uuid } }\n`,
    /no name for a resource/,
  ],
  'a string of JSON without an end': [`{"domain": "${filled('\\\\', 200_000)}`, /does not end/],
  'control characters': [`domain: "\u0001"`, /not YAML/],
  'a directive of YAML': ['%YAML 9.9\n---\ndomain: {}', /YAML/],
  'an own tag handle': ['%TAG ! tag:evil,2000:\n---\ndomain: !run {}', /tag/],
}

describe('a hostile text is refused, again and again in one process', () => {
  it.each(Object.entries(hostile))('%s', async (_name, [text, said]) => {
    for (const _time of [1, 2, 3]) expect(await refusal(text)).toMatch(said)
  })

  it('leaves no trace on the prototype of all objects', async () => {
    await refusal('{"__proto__": {"admin": true}, "domain": {"constructor": {"prototype": {"admin": true}}}}')
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  it('takes a large text that is no bomb', async () => {
    const text = `${HEAD}  description: "${'long '.repeat(200_000)}"\n  resources: { Post: { object: { id: uuid } } }\n`
    const { definition } = await loadDefinition({ text }, { extensions, variables: () => undefined })
    expect(definition.description).toHaveLength(1_000_000)
  })
})
