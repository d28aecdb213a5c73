import { beforeAll, describe, expect, it } from 'vitest'
import { DefinitionError } from '../definition/problem.ts'
import { parseError } from './parse-error.ts'
import { createLanguage, readModel } from './read-model.ts'

const language = createLanguage()
const read = (text: string) => readModel({ text }, language, () => undefined)

/**
 * A server has to be rid of a text that is no definition in the processor time that this much of a good one takes it,
 * however fast the machine is just now.
 */
const RESOURCES = 150
const FIELDS = 40
/** A process collects garbage and compiles between other things: one of so many times counts. */
const TRIES = 3

const HEAD = "domain:\n  name: shop\n  version: '1'\n"
const GOOD = '  resources: { Post: { object: { title: string } } }\n'
const POST = '  resources:\n    Post:\n      object:\n        title: string\n'
const lines = (count: number, line: (at: number) => string) =>
  `${Array.from({ length: count }, (_, at) => line(at)).join('\n')}\n`
const long = 'a'.repeat(1_000_000)

/** Many resources of many fields: no map is too long, and every field is wrong. */
const spread = (resources: number, fields: number, field: string) =>
  `${HEAD}  resources:\n${lines(resources, (at) => `    R${at}x:\n      object:\n${lines(fields, (n) => `        f${n}: ${field}`)}`)}`

const HOSTILE: Readonly<Record<string, string>> = {
  '60,000 fields of no type': `${HEAD}${POST}${lines(60_000, (at) => `        f${at}: strnig`)}`,
  '60,000 fields that are wrong twice': `${HEAD}${POST}${lines(60_000, (at) => `        f${at}: { type: strin, required: yes }`)}`,
  '40,000 wrong fields in 200 resources': spread(200, 200, 'strnig'),
  '10,000 fields with wrong attributes': spread(50, 200, '{ type: string, required: yes }'),
  '10,000 fields with unknown attributes and no type': spread(50, 200, '{ typ: string }'),
  '900 fields with unknown enumerations': `${HEAD}${POST}${lines(900, (at) => `        f${at}: { type: string, enum: Nowhere${at} }`)}`,
  '60,000 unknown keys': `${HEAD}${GOOD}${lines(60_000, (at) => `  nam${at}: x`)}`,
  '4,500 unknown keys and no resources': `${HEAD}${lines(4_500, (at) => `  nam${at}: x`)}`,
  '4,500 unknown keys of a resource': `${HEAD}${POST.replace('string', 'strng')}${lines(4_500, (at) => `      featurs${at}: x`)}`,
  'a flat map': lines(120_000, (at) => `k${at}: v`),
  'a flat map that ends its lines in another way': lines(120_000, (at) => `k${at}: v`).replaceAll('\n', '\r'),
  'a flat map of JSON': `{"domain": {${lines(100_000, (at) => `"k${at}": 1${at < 99_999 ? ',' : ''}`)}}}`,
  'a flat map in one line': `domain: { ${lines(60_000, (at) => `k${at}: 1,`).replaceAll('\n', ' ')} }`,
  'one key again and again': lines(60_000, () => 'k: v'),
  '60,000 enumerations': `${HEAD}${GOOD}  enums:\n${lines(60_000, (at) => `    E${at}: { values: [a, b] }`)}`,
  '4,500 wrong enumerations': `${HEAD}${GOOD}  enums:\n${lines(4_500, (at) => `    E-${at}: { values: [] }`)}`,
  'an enumeration of one value again and again': `${HEAD}${GOOD}  enums: { E: { values: [${'a, '.repeat(4_900)}b] } }\n`,
  '60,000 enumeration values': `${HEAD}${GOOD}  enums: { E: { values: [${lines(60_000, (at) => `v${at},`).replaceAll('\n', ' ')}] } }\n`,
  '4,500 references to nothing': `${HEAD}${POST}${lines(4_500, (at) => `        f${at}: { $ref: '#/properties/x${at}' }`)}`,
  'a chain of 60,000 references': `${HEAD}${GOOD}  properties:\n    P0: string\n${lines(60_000, (at) => `    P${at + 1}: { $ref: '#/properties/P${at}' }`)}`,
  'a chain of 4,500 references': `${HEAD}${GOOD}  properties:\n    P0: string\n${lines(4_500, (at) => `    P${at + 1}: { $ref: '#/properties/P${at}' }`)}`,
  'wide groups taken over everywhere': `${HEAD}  objects:\n    Wide:\n${lines(900, (at) => `      f${at}: string`)}  resources:\n${lines(900, (at) => `    R${at}x: { object: { $merge: '#/objects/Wide' } }`)}`,
  '4,500 unset variables': `${HEAD}${GOOD}  config:\n${lines(4_500, (at) => `    k${at}: \${NOPE${at}}`)}`,
  '4,500 relationships to nothing': `${HEAD}${POST}      relationships:\n${lines(4_500, (at) => `        r${at}: { type: belongsTo, target: Nope${at} }`)}`,
  '4,500 fields of no index': `${HEAD}${POST}      indexes:\n${lines(4_500, (at) => `        - { fields: [x${at}] }`)}`,
  '4,500 scopes of unknown columns': `${HEAD}${POST}      scopes:\n${lines(4_500, (at) => `        s${at}: { filter: "x${at} = 1" }`)}`,
  '4,500 permissions of unknown fields': `${HEAD}${POST}      permissions:\n        fields:\n${lines(4_500, (at) => `          f${at}: { read: [a] }`)}`,
  'misspelt names in a long list': `${HEAD}${lines(1, () => '  enums:')}${lines(400, (at) => `    AQuiteLongNameOfAnEnumeration${at}x: { values: [a] }`)}${POST}${lines(200, (at) => `        f${at}: { type: string, enum: AQuiteLongNameOfAnEnumeratoin${at}y }`)}`,
  'a field with a long name': `${HEAD}  resources:\n    Post:\n      object:\n        ? ${long}\n        : string\n`,
  'a line of 4 MB': `${HEAD}  description: ${'a'.repeat(4_000_000)}\n${GOOD}`,
  'a long type': `${HEAD}  resources: { Post: { object: { a: ${long} } } }\n`,
  'a long name of an enumeration': `${HEAD}  resources: { Post: { object: { a: { type: string, enum: ${long} } } } }\n`,
  'a long expression': `${HEAD}${POST}      computed: { b: "${'a + '.repeat(200_000)}a" }\n`,
  'a long reference': `${HEAD}  resources: { Post: { object: { a: { $ref: '#/${'a/'.repeat(500_000)}b' } } } }\n`,
  'a long path': `${HEAD}${POST}      api: { path: '${'/a'.repeat(500_000)}' }\n`,
  'a long pattern': `${HEAD}  resources: { Post: { object: { a: { type: string, pattern: '${'(a|b)'.repeat(200_000)}' } } } }\n`,
  'more columns than a table can have': `${HEAD}${POST}${lines(1_500, (at) => `        f${at}: string`)}`,
  'more resources than anybody needs': `${HEAD}  resources:\n${lines(4_000, (at) => `    R${at}x: { object: { a: string } }`)}`,
}

const FIELD = '{ type: string, required: true, maxLength: 200, label: { en: Name, de: Name } }'

const GOOD_ONE = spread(RESOURCES, FIELDS, FIELD)

/** The milliseconds of processor time that `work` takes, and what it answers. */
async function timed<T>(work: () => Promise<T>): Promise<{ readonly took: number; readonly answer: T }> {
  const started = process.cpuUsage()
  const answer = await work()
  const { user, system } = process.cpuUsage(started)
  return { took: (user + system) / 1000, answer }
}

/** Reads a text that has to be refused; answers the size of the answer. */
async function refuse(text: string): Promise<number> {
  const error = await read(text).catch((thrown: unknown) => thrown)
  if (!(error instanceof DefinitionError)) throw new Error(`not refused: ${String(error)}`)
  return JSON.stringify(parseError(error).detail).length
}

describe('a text that is no definition', () => {
  /** What a good one takes, as it was measured last. */
  let good = 0
  const measure = async () => {
    good = (await timed(() => read(GOOD_ONE))).took
  }
  beforeAll(measure)

  it.each(Object.entries(HOSTILE))('is refused in no time: %s', async (_, text) => {
    let shares: number[] = []
    do {
      // The machine may be slower by now.
      if (shares.length > 0) await measure()
      const refused = await timed(() => refuse(text))
      expect(refused.answer).toBeLessThan(200_000)
      shares = [...shares, refused.took / good]
    } while (shares.at(-1)! >= 1 && shares.length < TRIES)
    expect(Math.min(...shares)).toBeLessThan(1)
  })
})

describe('a definition may be', () => {
  it('of 500 resources with 40 fields', async () => {
    const { model } = await read(spread(500, 40, FIELD))
    expect(model.resources.size).toBe(500)
  })

  it('of an enumeration with 4,000 values, and a text of 20,000 lines', async () => {
    const text = `${HEAD}  description: |\n${lines(20_000, () => '    k: v')}${GOOD}  enums: { E: { values: [${'a, '.repeat(4_000).replaceAll('a', () => `v${(count += 1)}`)}z] } }\n`
    const { model } = await read(text)
    expect(model.enums.get('E')?.values.size).toBe(4_001)
    expect(model.description?.split('\n')).toHaveLength(20_001)
  })
})

let count = 0
