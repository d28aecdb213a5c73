import type { Value } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { ExpressionError } from '../fault.ts'
import { formatsOf } from '../formats/defaults.ts'
import type { Known } from '../values/kind.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { TEXT_LIMITS } from './limits.ts'
import { compileTemplate } from './template.ts'

const LINE: Known = {
  kind: 'object',
  members: new Map<string, Known>([
    ['sku', 'text'],
    ['price', 'number'],
  ]),
  source: { name: 'Line' },
}

const VOCABULARY: Vocabulary = {
  fields: new Map([
    ['title', 'text'],
    ['total', 'number'],
    ['dueOn', 'date'],
    ['madeAt', 'datetime'],
    ['tags', 'list'],
    ['meta', 'unknown'],
    ['done', 'boolean'],
  ]),
  caller: true,
  variables: new Map<string, Known>([
    ['lines', { kind: 'list', items: LINE }],
    ['count', 'number'],
    [
      'steps',
      {
        kind: 'object',
        members: new Map<string, Known>([
          ['ask-boss', LINE],
          ['ship', LINE],
        ]),
      },
    ],
  ]),
}

const FORMATS = formatsOf({ locale: 'en', currency: 'GBP' })

const LINES: Value = [
  { sku: 'A', price: 1.5 },
  { sku: '{title}', price: 2 },
]

const fill = (source: string, record: Readonly<Record<string, Value>> = {}, formats = FORMATS) =>
  compileTemplate(source, VOCABULARY).fill(
    {
      record: { title: 'Bell', total: 1234.5, tags: ['a', 'b'], done: true, dueOn: '2026-11-21', ...record },
      variables: { lines: LINES, count: 2, steps: { 'ask-boss': { sku: 'Q' } } },
      now: () => 0,
    },
    { formats },
  )

const faultOf = (source: string) => {
  try {
    compileTemplate(source, VOCABULARY)
  } catch (error) {
    if (error instanceof ExpressionError) return error.faults[0]
    throw error
  }
  return undefined
}

describe('a text', () => {
  it.each([
    ['{title} of {total}', 'Bell of 1234.5'],
    ['{record.title}{$record.title}{gone ?? title}'.replace('gone ?? ', ''), 'BellBellBell'],
    ['{tags}|{meta}', 'a, b|'],
    ['{{title}} \\{title} {title}}', '{title} {title} Bell}'],
    [
      '{} { title } {0} {"a": 1} } { {- {#hash} {:smile:} {/path}',
      '{} { title } {0} {"a": 1} } { {- {#hash} {:smile:} {/path}',
    ],
    ["{title + '}'}", 'Bell}'],
    ['{(total * 2) | money}', '£2,469.00'],
    ["{total | money: 'EUR'}", '€1,234.50'],
    [
      '{total | integer} {total | decimal} {total | decimal: 3} {total | number}',
      '1,235 1,234.50 1,234.500 1,234.5',
    ],
    ['{title | upper} {title | lower} {title | truncate: 3}', 'BELL bell Be…'],
    ["{tags | join: '/'} {tags | size} {title | size}", 'a/b 2 4'],
    ["{meta | default: 'none'}{meta | upper}", 'none'],
    ["{dueOn | date: 'd MMM yyyy'} {done | boolean}", '21 Nov 2026 Yes'],
    ['{title | money}', 'Bell'],
    ['{sum($lines.price) | money}', '£3.50'],
    ["{$steps['ask-boss'].sku}", 'Q'],
    ['{user.name}', ''],
    [String.raw`a\b \{`, String.raw`a\b {`],
  ])('%s is %s', (source, told) => {
    expect(fill(source)).toBe(told)
  })

  it('C6.9: goes through lists, and tells where the loop stands', () => {
    expect(
      fill(
        '{#each $lines as line}{loop.index}/{loop.count} {line.sku}{sku}={price}{#if not loop.last}; {/if}{/each}',
      ),
    ).toBe('1/2 AA=1.5; 2/2 {title}{title}=2')
    expect(fill('{#each tags as tag}{tag}{:else}none{/each}', { tags: [] })).toBe('none')
    expect(
      fill('{#each meta}{anything}{title}{:else}none{/each}', { meta: [{ anything: 1, title: 'In' }, {}] }),
    ).toBe('1InBell')
  })

  it('C6.9: takes the first branch that is exactly true', () => {
    const source = '{#if total > 2000}much{:else if done}done{:else}little{/if}'
    expect([fill(source, { total: 3000 }), fill(source), fill(source, { done: null })]).toEqual([
      'much',
      'done',
      'little',
    ])
  })

  it('C6.9: leaves no trace of a line with nothing but a tag', () => {
    expect(fill('Hello\n  {#each tags as tag}\t\n* {tag}\n  {/each}\nBye\n')).toBe('Hello\n* a\n* b\nBye\n')
    expect(fill('{#if done}\r\nYes\r\n{/if}')).toBe('Yes\r\n')
    expect(fill('a {#if done}b{/if}\n{title}\n')).toBe('a b\nBell\n')
    expect(fill('{#each tags as tag}{#if done}\n{tag}\n{/if}{/each}\n')).toBe('a\nb\n')
  })

  it('8.5: is filled in one pass: what a value holds is never read', () => {
    for (const title of ['{total}', '{{', '$record.total', '{#each tags}{/each}', '\\{', '$&'])
      expect(fill('<{title}>', { title })).toBe(`<${title}>`)
  })

  it.each([
    ['Hello {titel}', 7, "'titel' is not known here", "did you mean 'title'?"],
    ['{total | mony}', 9, "there is no pipe 'mony'", "did you mean 'money'?"],
    ['{title', 0, 'a brace is left open', 'close it by }, or write {{ for a brace'],
    ['{#each $lines}', 0, 'this block is left open', 'close it by {/each}'],
    ['{#eahc $lines}', 0, '{#eahc $lines} means nothing', "did you mean '{#each}'?"],
    ['a{/if}', 1, 'this belongs to no open block', 'remove it, or open its block'],
    ['{#each title}{/each}', 6, 'a loop goes through a list, and this is text', undefined],
    ['{#each $lines as l}{l.skuu}{/each}', 21, "there is no 'skuu' in here", "did you mean 'sku'?"],
    ['{$total}', 1, "'$total' is not known here", "did you mean '$record.total'?"],
    ['{$steps.ask.sku}', 7, "there is no 'ask' in here", "did you mean '['ask-boss']'?"],
    ['{total | decimal: 11}', 18, 'the decimals are a number from 0 to 10', undefined],
    ['{title | truncate}', 9, "the pipe 'truncate' takes 1 argument, not 0", undefined],
    ['{#each tags as loop}{/each}', 0, "'loop' has a meaning of its own", 'give the item another name'],
  ])('PARSE_ERROR: %s', (source, offset, message, hint) => {
    expect(faultOf(source)).toMatchObject({ offset, message })
    if (hint !== undefined) expect(faultOf(source)?.hint).toBe(hint)
  })

  it('doubts a value in two braces where its name is known', () => {
    const doubted = (source: string) =>
      compileTemplate(source, VOCABULARY).warnings.map(({ offset, message, hint }) => [offset, message, hint])
    expect(doubted('A {{title}} and {{ $lines }}')).toEqual([
      [2, "'{{title}}' writes braces, and no value", 'write {title} for the value'],
      [16, "'{{ $lines }}' writes braces, and no value", 'write {$lines} for the value'],
    ])
    expect(doubted('{{{title}}} {{x}} {{ title {title} }} {{1}} \\{{title}}')).toEqual([])
  })

  it('says what it reads of records in variables, by bare names and by the item', () => {
    const { expressions } = compileTemplate('{#each $lines as line}{line.price}{sku}{/each}', VOCABULARY)
    const source = typeof LINE === 'object' && LINE.kind === 'object' ? LINE.source : undefined
    expect(expressions.map(({ members }) => [...(members.get(source ?? {}) ?? [])])).toEqual([
      [],
      ['price'],
      ['sku'],
    ])
  })

  it('C6.14: is 10 blocks deep, makes 50,000 passes and 5 MiB', () => {
    const deep = (levels: number) => `${'{#if done}'.repeat(levels)}x${'{/if}'.repeat(levels)}`
    expect(fill(deep(TEXT_LIMITS.levels))).toBe('x')
    expect(faultOf(deep(TEXT_LIMITS.levels + 1))?.message).toContain('10 deep at most')
    const tags = Array.from({ length: TEXT_LIMITS.passes }, () => 'a')
    expect(fill('{#each tags as t}{t}{/each}', { tags })).toHaveLength(TEXT_LIMITS.passes)
    expect(fill('{#each tags as t}{t}{/each}', { tags: [...tags, 'b'] })).toBe(`${tags.join('')}…`)
    expect(fill('{title}!', { title: 'x'.repeat(TEXT_LIMITS.bytes) })).toMatch(/x…$/)
  })

  it('of a megabyte of any sign is read or refused within the time of a test', () => {
    const size = 1_000_000
    const hostile = [
      '{',
      '{a',
      "{'",
      '}',
      '\\',
      '{#',
      '{#if ',
      '{:else}',
      '{/each}',
      '\n',
      ' ',
      '{(',
      '{{',
      '\t{#if done}\n',
    ]
    for (const sign of hostile) {
      const text = sign.repeat(size / sign.length)
      expect(() => faultOf(text), sign).not.toThrow()
    }
  })
})
