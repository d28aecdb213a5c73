import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { formatsOf } from '../formats/defaults.ts'
import { PLAIN_PIPES } from './pipes/index.ts'
import { compileTemplate } from './template.ts'

// Every row of a table in `docs/definition/texts.md` that says what a text is, is so.

const page = readFileSync(join(import.meta.dirname, '../../../../docs/definition/texts.md'), 'utf8')
const record: Row = JSON.parse(/^```json\n(.*?)^```$/ms.exec(page)?.[1] ?? '')
const vocabulary = { fields: new Map(Object.keys(record).map((name) => [name, 'unknown'] as const)) }
const formats = formatsOf({ locale: 'en', timezone: 'UTC', currency: 'GBP' })

const tables = page.split('\n\n').filter((part) => part.startsWith('| Text | is |'))
const rows = tables.flatMap((table) =>
  [...table.matchAll(/^\| `(.*?)` \| `(.*?)` \|/gm)].map(([, text = '', is = '']) => ({
    text: text.replaceAll('\\|', '|'),
    is,
  })),
)

describe('the texts in docs/definition/texts.md', () => {
  it.each(rows)('$text is $is', ({ text, is }) => {
    const filled = compileTemplate(text, vocabulary).fill({ record, now: () => 0 }, { formats })
    expect(filled.replaceAll('\u00a0', ' ')).toBe(is)
  })

  it('show every pipe, and no row is passed over', () => {
    const shown = rows.map(({ text }) => text).join('\n')
    expect([...PLAIN_PIPES.keys()].filter((name) => !shown.includes(`| ${name}`))).toEqual([])
    const written = tables.flatMap((table) => table.split('\n').slice(2)).filter((line) => line !== '')
    expect(rows).toHaveLength(written.length)
  })
})
