import { expect, test } from 'vitest'
import { size } from '../../../../test/kit/size.ts'
import { createWords } from './words.ts'

const ERASED = '[erased]'
const RUNS = size('WORDS_RUNS', { smoke: 500, whole: 10_000 })

test('texts are found as words of their own, in any case, the longest first', () => {
  const { replace, stand } = createWords([
    'ann@example.com',
    'Ann Lee',
    'Ann',
    '+44 20',
    'Straße 5',
    '李小龙',
  ])
  const cases = [
    ['ANN LEE wrote to ann@example.com.', `${ERASED} wrote to ${ERASED}.`],
    ['joann, Anna, ann2', 'joann, Anna, ann2'],
    ['(Ann),Ann/Ann', `(${ERASED}),${ERASED}/${ERASED}`],
    ['Ann Lee2 and Ann Leee', `${ERASED} Lee2 and ${ERASED} Leee`],
    ['call +44 20, not x+44 20 or +44 201', `call ${ERASED}, not x+44 20 or +44 201`],
    ['STRASSE 5, STRAßE 5, straße 5', `STRASSE 5, ${ERASED}, ${ERASED}`],
    ['🙂李小龙🙂 李小龙李', `🙂${ERASED}🙂 李小龙李`],
    ['', ''],
  ] as const
  for (const [text, left] of cases) {
    expect(replace(text, ERASED)).toBe(left)
    expect(stand(text)).toBe(left !== text)
  }
})

test('of no texts nothing is found, and an empty one is none', () => {
  expect(createWords([]).replace('Ann', ERASED)).toBe('Ann')
  expect(createWords(['']).replace('Ann', ERASED)).toBe('Ann')
})

test('what a pattern of all of them finds is found', () => {
  const parts = ['a', 'B', 'é', 'É', 'ß', '1', ' ', '.', '-', '@', '🙂', 'İ', '𐐀', '𐐨', '李']
  let seed = 7
  const next = (below: number): number => (seed = (seed * 48271) % 2147483647) % below
  const textOf = (length: number) => Array.from({ length }, () => parts[next(parts.length)]).join('')
  for (let at = 0; at < RUNS; at += 1) {
    const words = Array.from({ length: 1 + next(4) }, () => textOf(1 + next(3)))
    const text = textOf(next(16))
    const longestFirst = words.toSorted((one, other) => other.length - one.length)
    const pattern = longestFirst
      .map((one) => one.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
      .join('|')
    const all = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${pattern})(?![\p{L}\p{N}])`, 'giu')
    const { replace } = createWords(words)
    const left = text.replace(all, '|')
    expect([words, text, replace(text, '|')]).toEqual([words, text, left])
  }
})
