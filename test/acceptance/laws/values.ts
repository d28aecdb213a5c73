import type { Random } from '../../kit/random.ts'

/** Texts that stores, collations and letter cases disagree about. */
export const TEXTS = [
  'a', 'B', 'b', 'late', 'Late Elan', 'élan', 'ÉLAN', 'e\u0301lan', 'İstanbul', 'ISTANBUL', 'ıstanbul', 'ß', 'SS',
  'Σίσυφος', 'ΣΊΣΥΦΟΣ', 'ﬁn', '𝔘nicode', '\u{10400}', '\u{10428}', '', ' ', '  padded ', 'x,y', '"quoted"', '=1+1', '-7', '+x',
  "o'hara", '100%', 'a_b', 'a\\b', 'line\nbreak', 'tab\t', '\u00a0', '😀', '\uffff', '\ue000', '\u{1f1e9}', 'ab', 'abc', 'null', 'true',
] // prettier-ignore

const INTEGERS = [0, 1, -1, 2, 3, 5, 7, 100, 2 ** 31, -(2 ** 31) - 1, 9007199254740991, -9007199254740991]

const NUMBERS = [
  0, 1, -1, 0.1, 0.2, 2.5, 1.005, 2.675, -0.005, 99.99, 123456.789, 1e-7, 1e15, 123456789012.34,
]

const INSTANTS = [
  '2026-03-01T12:00:00Z', '2026-03-01T12:00:00.5+01:00', '2026-03-01t12:00:00.123456z', '1969-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2024-02-29T00:00:00-23:59', '2026-02-27T00:00:00.001Z',
] // prettier-ignore

const BLOCKS = [
  [],
  [{ type: 'heading', data: { text: 'a', level: 2 } }],
  [{ type: 'columns', data: { left: [{ type: 'heading', data: { text: 'b' } }], right: [] } }],
]

const JSON_VALUES = [
  {}, [], 0, '', 'a', false, { b: 1, a: { z: null, y: [1, 2.5, 'x'] }, '': 0 }, [null, [[]], { k: '€' }],
  1e21, -0.5, 1e-9, { '10': 1, '9': 2, a: 3 }, 'line\nbreak',
] // prettier-ignore

/** Values that fit each field type. */
const FITTING: Readonly<Record<string, readonly unknown[]>> = {
  string: TEXTS,
  text: TEXTS,
  markdown: TEXTS,
  slug: ['a-b', 'late', 'x1', 'late-2', 'b'],
  email: ['ann@example.org', 'ANN@example.org', 'b.c+d@sub.example.org', 'x@example.com'],
  url: ['https://example.com/page', 'http://example.com/?q=%20#x', 'https://EXAMPLE.com'],
  phone: ['+4930123456', '030123456', '+1 555 0100'],
  country: ['DE', 'FR', 'US'],
  language: ['en', 'pt-BR', 'zh-Hant-TW', 'EN'],
  timezone: ['Europe/Berlin', 'UTC', 'Asia/Kolkata'],
  color: ['#fff', '#A1B2C3', '#a1b2c3d4'],
  currency: ['EUR', 'USD', 'JPY'],
  integer: INTEGERS,
  bytes: [0, 1, 512, 9007199254740991],
  autoincrement: [1, 2, 99],
  decimal: NUMBERS,
  float: [...NUMBERS, 1e308, 5e-324, -1e21],
  money: [0, 1, 0.01, 19.99, 100, -5.5, 123456789.12],
  percentage: [0, 12.5, 100, 0.1],
  boolean: [true, false],
  date: ['2026-03-01', '2026-02-28', '2024-02-29', '0001-01-01', '9999-12-31'],
  time: ['00:00', '12:30', '12:30:00', '12:30:00.5', '23:59:59.999'],
  datetime: INSTANTS,
  timestamp: INSTANTS,
  uuid: ['0190b3c4-0000-7000-8000-00000000beef', '0190B3C4-0000-7000-8000-00000000BEEF'],
  json: JSON_VALUES,
  array: [[], [1], [3, 1, 2, 1]],
  set: [[], ['a'], ['b', 'a', 'é']],
  blocks: BLOCKS,
  component: [{ city: 'Berlin' }, { street: 'Ring 1', city: 'Köln' }],
  repeater: [
    [],
    [{ name: 'a' }],
    [
      { name: 'b', count: 2 },
      { name: 'a', count: null },
    ],
  ],
  token: ['t', 'another token'],
  // A hash takes so long that most writes go without.
  password: [],
}

/** Values that fit few types, if any. */
export const MISFITS = [
  null, true, 5, -1, 1.5, '5', '', 'nonsense', [], {}, [[]], { a: 1 }, [null], 2 ** 53 + 2, 1e300, 1e-300, '2026-02-30',
  '2026-02-30T00:00:00Z', '24:00', '12:60', '9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00Z', '2026-06-30T23:59:60Z', 'x'.repeat(300),
  [{ type: 'nothing', data: {} }], [1, 'a'], ['a', 'a'], { city: null }, [{ type: 'heading', data: { text: 'a', level: 9 } }], '#ff',
  'x@', 'javascript:alert(1)', '-', 'Not A Slug', '\u202e', '1', '1.0', '1e3', '0x10', ' 7', 'Infinity', 'NaN', '-0', '٣',
] // prettier-ignore

/** A value for a field of `type`: mostly one that fits, a misfit with the probability `wild`. */
export function valueFor(type: string, random: Random, wild: number): unknown {
  const fitting = FITTING[type] ?? []
  return fitting.length === 0 || random.chance(wild) ? random.pick(MISFITS) : random.pick(fitting)
}

/** The same as the text that a query carries. */
export function textFor(type: string, random: Random, wild: number): string {
  const value = valueFor(type, random, wild)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
