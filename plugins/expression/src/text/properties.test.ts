import { isCleanText } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExpressionError } from '../fault.ts'
import { formatsOf } from '../formats/defaults.ts'
import { FORMATS } from '../formats/index.ts'
import type { Known } from '../values/kind.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { wordsOf } from '../words.ts'
import type { Filling } from './fill.ts'
import { TEXT_LIMITS } from './limits.ts'
import { PLAIN_PIPES } from './pipes/index.ts'
import { compileTemplate } from './template.ts'

const LINE: Known = {
  kind: 'object',
  members: new Map<string, Known>([
    ['sku', 'unknown'],
    ['title', 'unknown'],
  ]),
  source: { name: 'Line' },
}

/** Fields of which nothing is known take every value there is. */
const VOCABULARY: Vocabulary = {
  fields: new Map([
    ['title', 'unknown'],
    ['secret', 'unknown'],
    ['tags', 'unknown'],
    ['flag', 'unknown'],
  ]),
  caller: true,
  variables: new Map<string, Known>([
    ['lines', { kind: 'list', items: LINE }],
    ['any', 'unknown'],
    ['x', 'unknown'],
    ['y', 'unknown'],
  ]),
}

const PLAIN = formatsOf({ locale: 'en', currency: 'GBP' })

interface Given {
  readonly record?: Readonly<Record<string, Value>>
  readonly variables?: Readonly<Record<string, Value>>
}

const fill = (
  source: string,
  { record = {}, variables = {} }: Given = {},
  filling: Filling = { formats: PLAIN },
) => compileTemplate(source, VOCABULARY).fill({ record, variables, now: () => 0 }, filling)

const texts = fc.oneof(fc.string({ unit: 'binary' }).filter(isCleanText), fc.string())

/** Pieces of the language, so that what is made of them looks like it. */
const signs = fc.constantFrom(
  '{',
  '}',
  '{{',
  '}}',
  '\\{',
  '\\',
  "'",
  '"',
  '$',
  '$(',
  '$record.title',
  '{title}',
  '{$x}',
  '{tags | join}',
  '{#each tags}',
  '{#each $lines as l}',
  '{:else}',
  '{/each}',
  '{#if flag}',
  '{:else if title}',
  '{/if}',
  '{l.sku',
  '|',
  ': 3',
  '| upper',
  '\n',
  '\r\n',
  '  ',
  '{#',
  '{/',
  '{:',
  '#',
  'a',
  '$&',
  '{secret}',
  '{loop.index}',
)

const hostile = fc.oneof(
  texts,
  fc.array(fc.oneof(signs, texts), { maxLength: 12 }).map((parts) => parts.join('')),
)

/** Whatever may stand in a record or a variable; `1e999` of JSON is infinite. */
const values: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    fc.constantFrom<Value[]>(
      null,
      '',
      true,
      false,
      0,
      -0,
      1e308,
      -1e308,
      5e-324,
      2 ** 53,
      Infinity,
      -Infinity,
      NaN,
      1.005,
      -0.5,
      '2026-01-31',
      '0001-01-01',
      '9999-12-31',
      '0001-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
      '13:45',
      '24:00',
      '99:99:99',
      '12:00:00.5',
      '2026-02-30',
      '\ud800',
      'İ',
      'ß',
      '👩‍👩‍👧',
      'EUR',
      'yyyy',
      "'",
      'XXXXXX',
    ),
    fc.double(),
    hostile,
    fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'value' }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('__proto__', 'constructor', 'title', 'sku', 'loop', 'user'), fc.string()),
      tie('value'),
      {
        maxKeys: 4,
        depthIdentifier: 'value',
      },
    ),
  ),
})).value

describe('[A5] what a text is filled with is never read', () => {
  it('stands in it sign by sign, whatever it looks like, in values, pipes, lists and loops', () => {
    fc.assert(
      fc.property(hostile, hostile, (title, tag) => {
        const record = { title, tags: [tag, tag] }
        expect(fill('<{title}|{tags}>', { record })).toBe(`<${title}|${tag}, ${tag}>`)
        expect(fill("{title | default: 'none'}", { record })).toBe(title === '' ? 'none' : title)
        expect(fill("{tags | join: '{title}'}", { record })).toBe(`${tag}{title}${tag}`)
        expect(fill('{#each tags as tag}{tag}{title}{/each}', { record })).toBe(`${tag}${title}`.repeat(2))
        expect(fill('{title + $x}', { record, variables: { x: tag } })).toBe(title + tag)
      }),
    )
  })

  it('is JSON where it is a map, and nothing of a map is a name or an inherited one', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), hostile), (any) => {
        expect(fill('{$any}{$any.constructor}{$any.__proto__}', { variables: { any } })).toBe(
          [
            JSON.stringify(any),
            ...['constructor', '__proto__'].map((name) => (Object.hasOwn(any, name) ? any[name] : '')),
          ].join(''),
        )
      }),
    )
  })
})

describe('[A5] what stands in a text outside of braces', () => {
  it('is itself', () => {
    fc.assert(
      fc.property(
        hostile.map((text) => text.replaceAll(/[{}]/g, '')),
        (text) => {
          expect(fill(text)).toBe(text)
        },
      ),
    )
  })

  it('can be any text: a brace is written by a backslash before it, a closing one by two', () => {
    const written = (text: string) => text.replaceAll('{', '\\{').replaceAll('}', '}}')
    fc.assert(
      fc.property(hostile, hostile, (before, title) => {
        expect(fill(written(before))).toBe(before)
        expect(fill(`${written(before)} {title}`, { record: { title } })).toBe(`${before} ${title}`)
      }),
    )
  })
})

describe('[A1] every text', () => {
  it('is read, or is refused with places that lie in it; what is read is filled, whatever with', () => {
    let read = 0
    fc.assert(
      fc.property(hostile, values, values, (source, one, other) => {
        try {
          const given = {
            record: { title: one, tags: other, flag: other },
            variables: { any: one, x: other, lines: one },
          }
          expect(typeof fill(source, given)).toBe('string')
          read++
        } catch (error) {
          if (!(error instanceof ExpressionError)) throw error
          expect(error.faults.length).toBeGreaterThan(0)
          expect(error.faults.length).toBeLessThanOrEqual(20)
          for (const { offset, message } of error.faults) {
            expect(offset).toBeGreaterThanOrEqual(0)
            expect(offset).toBeLessThanOrEqual(source.length)
            expect(message).not.toBe('')
          }
        }
      }),
      { numRuns: 1500 },
    )
    expect(read).toBeGreaterThan(100)
  })
})

/** A text as a tree, in which everything has one meaning that a few lines can tell. */
type Written =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string }
  | {
      readonly kind: 'if'
      readonly name: string
      readonly body: readonly Written[]
      readonly otherwise: readonly Written[]
    }
  | {
      readonly kind: 'each'
      readonly name: string
      readonly body: readonly Written[]
      readonly otherwise: readonly Written[]
    }

const names = fc.constantFrom('$x', '$y', '$any', 'it', 'loop.index', 'loop.count')

const lists = names.filter((name) => !name.startsWith('loop'))

const { parts: trees } = fc.letrec<{ parts: readonly Written[]; part: Written }>((tie) => ({
  parts: fc.array(tie('part'), { maxLength: 3, depthIdentifier: 'tree' }),
  part: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'tree' },
    // Marks around words keep every tag beside some, so that no line is a tag's alone.
    fc.record({
      kind: fc.constant('words' as const),
      text: texts.map((text) => `<${text.replaceAll(/[{}\\]/g, '')}>`),
    }),
    fc.record({ kind: fc.constant('value' as const), name: names }),
    fc.record({
      kind: fc.constantFrom('if' as const, 'each' as const),
      name: lists,
      body: tie('parts'),
      otherwise: tie('parts'),
    }),
  ),
}))

const write = (parts: readonly Written[]): string =>
  parts
    .map((part) => {
      if (part.kind === 'words') return part.text
      if (part.kind === 'value') return `.{${part.name}}.`
      const [begin, end] =
        part.kind === 'if' ? [`{#if ${part.name}}`, '{/if}'] : [`{#each ${part.name} as it}`, '{/each}']
      return `.${begin}.${write(part.body)}.{:else}.${write(part.otherwise)}.${end}.`
    })
    .join('')

type Names = ReadonlyMap<string, Value>

const told = (parts: readonly Written[], given: Names): string =>
  parts
    .map((part) => {
      if (part.kind === 'words') return part.text
      const value = given.get(part.name) ?? null
      if (part.kind === 'value') return `.${wordsOf(value)}.`
      const body = (inside: Names) => `.${told(part.body, inside)}.`
      const otherwise = () => `.${told(part.otherwise, given)}.`
      if (part.kind === 'if') return `.${value === true ? body(given) : otherwise()}.`
      if (!Array.isArray(value) || value.length === 0) return `.${otherwise()}.`
      const items: readonly Value[] = value
      const passes = items.map((it, at) =>
        body(new Map([...given, ['it', it], ['loop.index', at + 1], ['loop.count', items.length]])),
      )
      return `.${passes.join('')}.`
    })
    .join('')

/** Names mean the same inside and outside of loops, so that a text can be told without knowing where it stands. */
const OPEN: Vocabulary = {
  variables: new Map(['$x', '$y', '$any'].map((name) => [name.slice(1), 'unknown'])),
  parameters: new Map<string, Known>([
    ['it', 'unknown'],
    [
      'loop',
      {
        kind: 'object',
        members: new Map([
          ['index', 'number'],
          ['count', 'number'],
        ]),
      },
    ],
  ]),
}

describe('[C6.9] blocks', () => {
  it('tell what their tree tells: a body for each item, the branch that is exactly true, else the other', () => {
    const simple: fc.Arbitrary<Value> = fc.oneof(
      fc.constantFrom<Value[]>(
        null,
        true,
        false,
        'true',
        1,
        [],
        [null],
        ['a', 'b'],
        [[1, 2], [], null],
        [true, false],
      ),
      hostile,
    )
    fc.assert(
      fc.property(trees, simple, simple, simple, (tree, x, y, any) => {
        const given = new Map<string, Value>([
          ['$x', x],
          ['$y', y],
          ['$any', any],
        ])
        const template = compileTemplate(write(tree), OPEN)
        expect(template.fill({ variables: { x, y, any }, now: () => 0 }, { formats: PLAIN })).toBe(
          told(tree, given),
        )
      }),
      { numRuns: 500 },
    )
  })

  it('go once through each item, of which there are as many as `loop` says', () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 30 }), (any) => {
        const told = fill(
          '{#each $any as one}[{loop.index}/{loop.count}{#if loop.last}!{/if}]{:else}none{/each}',
          {
            variables: { any },
          },
        )
        const wanted = any
          .map((_, at) => `[${at + 1}/${any.length}${at + 1 === any.length ? '!' : ''}]`)
          .join('')
        expect(told).toBe(any.length === 0 ? 'none' : wanted)
      }),
    )
  })

  it('name the members of their item: of one that is known to have it, what is not there is nothing', () => {
    expect(
      fill('{#each $lines}{title}{/each}{title}', {
        record: { title: 'A' },
        variables: { lines: [{ sku: 1 }, null] },
      }),
    ).toBe('A')
    expect(
      fill('{#each $any}{title}{/each}', { record: { title: 'A' }, variables: { any: [{ sku: 1 }, null] } }),
    ).toBe('AA')
    const lines = [{ title: 'B' }]
    const nested =
      '{#each $any as outer}{#each outer.lines}{title}{/each}{#each $lines}{title}{/each}{title}{/each}'
    expect(fill(nested, { variables: { lines: [{}], any: [{ title: 'O', lines }] } })).toBe('BO')
  })
})

describe('[C6.8] every pipe', () => {
  const args = (count: number) =>
    Array.from({ length: count }, (_, at) => (at === 0 ? '$x' : '$y')).join(', ')
  const uses = [...PLAIN_PIPES].flatMap(([name, { takes, needs = 0 }]) =>
    Array.from({ length: takes.length - needs + 1 }, (_, more) =>
      needs + more === 0 ? name : `${name}: ${args(needs + more)}`,
    ),
  )

  const LOCALES = [
    'en',
    'de',
    'pl',
    'ar-EG',
    'th-TH-u-ca-buddhist-nu-thai',
    'fa',
    'hi',
    'x',
    'en-x-own',
    'nonsense-that-nobody-knows',
  ]
  const ZONES = ['UTC', 'Pacific/Kiritimati', 'America/New_York', 'Asia/Kathmandu', 'Mars/Base', '']

  it.each(uses)('is total, whatever it is given: %s', (use) => {
    const template = compileTemplate(`{title | ${use}}`, VOCABULARY)
    fc.assert(
      fc.property(
        values,
        values,
        values,
        fc.constantFrom(...LOCALES),
        fc.constantFrom(...ZONES),
        (title, x, y, locale, timezone) => {
          const formats = formatsOf({ locale, timezone, currency: 'EUR' })
          const record = { title }
          expect(typeof template.fill({ record, variables: { x, y }, now: () => 0 }, { formats })).toBe(
            'string',
          )
        },
      ),
    )
  })

  it.each(uses.filter((use) => !use.startsWith('default')))('leaves null null: %s', (use) => {
    fc.assert(
      fc.property(values, values, (x, y) => {
        expect(fill(`{title | ${use}}`, { record: { title: null }, variables: { x, y } })).toBe('')
        expect(
          fill(`{title | ${use} | default: 'none'}`, { record: { title: null }, variables: { x, y } }),
        ).toBe('none')
      }),
    )
  })

  it('default stands for null, an empty text and an empty list, and for nothing else', () => {
    fc.assert(
      fc.property(values, hostile, (title, x) => {
        const nothing = title === null || title === '' || (Array.isArray(title) && title.length === 0)
        expect(fill('{title | default: $x}', { record: { title }, variables: { x } })).toBe(
          nothing ? x : wordsOf(title),
        )
      }),
    )
  })

  it.each([...FORMATS.keys(), 'number', 'percent'].filter((name) => name !== 'text'))(
    'passes on what it cannot read: %s',
    (name) => {
      for (const title of ['Bell', { a: 1 }, ['a', 'b'], Infinity])
        expect(fill(`{title | ${name}}`, { record: { title } })).toBe(wordsOf(title))
    },
  )

  it('truncate leaves at most so many characters, and what is shorter as it is', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (title, most) => {
        const points = [...title]
        const cut = points.length <= most ? title : `${points.slice(0, most - 1).join('')}…`
        expect(fill('{title | truncate: $x}', { record: { title }, variables: { x: most } })).toBe(cut)
      }),
    )
  })

  it('writes numbers to so many decimals, none lost before the point', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
        fc.integer({ min: 0, max: 10 }),
        (whole, x) => {
          const told = fill('{title | decimal: $x}', { record: { title: Number(whole) }, variables: { x } })
          expect(told.replaceAll(',', '')).toBe(x === 0 ? `${whole}` : `${whole}.${'0'.repeat(x)}`)
        },
      ),
    )
  })
})

describe('[A6] what a reader may not be told', () => {
  const shows: Filling['shows'] = ({ fields }) => !fields.has('secret')
  const SOURCES = [
    '{secret}',
    "{secret | upper}{secret | default: 'none'}",
    '{#if secret}a{:else if title == secret}b{:else}c{/if}',
    '{#each secret as one}{one}{title}{:else}none{/each}',
    '{#each tags as tag}{tag == secret}{title + secret}{/each}',
    '{tags | join: secret}{title | truncate: secret}{title | date: secret}{title | money: secret}',
    '{([secret, title])}{coalesce(secret, title)}{record.secret}',
  ]

  it.each(SOURCES)('changes nothing of %s', (source) => {
    fc.assert(
      fc.property(values, values, values, fc.array(values), (one, other, title, tags) => {
        const seen = (secret: Value) =>
          fill(source, { record: { secret, title, tags } }, { formats: PLAIN, shows })
        expect(seen(one)).toBe(seen(other))
      }),
    )
  })

  it.each(SOURCES)('changes what others are told by %s', (source) => {
    const record = { title: '2', tags: ['2', '3'] }
    const seen = new Set(
      ['2', 2, true, ['x'], 'EUR', "'q'"].map((secret) => fill(source, { record: { ...record, secret } })),
    )
    expect(seen.size).toBeGreaterThan(1)
  })
})

describe('[C6.14] sizes', () => {
  const MEGABYTE = 1_000_000
  const body = 'x'.repeat(MEGABYTE)

  it('a text of a megabyte of words is itself', () => {
    expect(fill(body)).toBe(body)
    const braces = '{'.repeat(MEGABYTE / 2)
    expect(fill(braces.replaceAll('{', '\\{'))).toBe(braces)
  })

  it('a text of a megabyte of placeholders is filled', () => {
    const count = MEGABYTE / 10
    expect(fill('{title}abc'.repeat(count), { record: { title: 'T' } })).toBe('Tabc'.repeat(count))
  })

  it('a hundred thousand mistakes are refused, and twenty are told', () => {
    expect(() => fill('{titel}'.repeat(100_000))).toThrow(ExpressionError)
    expect(() => fill('{#each titel as t}{/each}'.repeat(40_000))).toThrow(ExpressionError)
  })

  it.each(['{#if flag}', '{#each tags}', '{#if flag}{:else}'])(
    'blocks a hundred thousand deep are refused: %s',
    (begin) => {
      expect(() => fill(begin.repeat(100_000))).toThrow('10 deep at most')
    },
  )

  it('an expression too long or too deep is refused', () => {
    expect(() => fill(`{title + ${'('.repeat(100_000)}`)).toThrow(ExpressionError)
    expect(() => fill(`{${'('.repeat(5_000)}title${')'.repeat(5_000)}}`)).toThrow(ExpressionError)
    expect(() => fill(`{title${' | upper'.repeat(100_000)}}`)).toThrow(ExpressionError)
  })

  it.each([
    '{([B])}',
    '{([B]) | text}',
    "{([B]) | join: ''}",
    '{$any | join: title}',
    '{#each $any}{title}{/each}',
    '{#each $any}{#each $any}{title}{/each}{/each}',
    '{([B]) | size}{#each $any}{([B])}{/each}',
  ])('what would come to gigabytes ends in …: %s', (source) => {
    const many = Array.from({ length: 600 }, () => 'title').join(', ')
    const any = Array.from({ length: 2000 }, () => 'a')
    const told = fill(source.replaceAll('B', many), { record: { title: body }, variables: { any } })
    expect(told.endsWith('…')).toBe(true)
    expect(Buffer.byteLength(told)).toBeLessThanOrEqual(TEXT_LIMITS.bytes + 3)
  })

  it('loops through one another cost no more than their passes, however much an item holds', () => {
    const many = Array.from({ length: 40_000 }, (_, at) => at)
    const wide = Object.fromEntries(many.map((at) => [`name${at}`, at]))
    const told = fill('{#each $any as one}{#each one.list}{name7}{/each}{/each}', {
      variables: { any: [{ ...wide, list: many }] },
    })
    expect(told).toBe('7'.repeat(many.length))
  })
})
