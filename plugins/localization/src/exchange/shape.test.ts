import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { writeXliff12 } from './write/xliff-12.ts'
import { writeXliff20 } from './write/xliff-20.ts'

/** What an element may hold and has to say, as the standards of OASIS have it of the elements that are written. */
interface Rule {
  /** Its children, each with a space behind it; text is `#`. */
  readonly holds: RegExp
  readonly says: Readonly<Record<string, RegExp>>
  /** What it may say besides. */
  readonly maySay?: Readonly<Record<string, RegExp>>
}

const ANY = /^[^]*$/
const NAME = /^[-.:\w\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff]+$/
const TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/
const PRESERVE = { 'xml:space': /^preserve$/ }
const WORDS: Rule = { holds: /^(?:# )?$/, says: {} }

const OF_12: Readonly<Record<string, Rule>> = {
  xliff: {
    holds: /^(?:file )+$/,
    says: { version: /^1\.2$/, xmlns: /^urn:oasis:names:tc:xliff:document:1\.2$/ },
  },
  file: {
    holds: /^body $/,
    says: { original: ANY, 'source-language': TAG, 'target-language': TAG, datatype: /^plaintext$/ },
  },
  body: { holds: /^(?:trans-unit )*$/, says: {} },
  'trans-unit': { holds: /^source (?:target )?note $/, says: { id: ANY, ...PRESERVE } },
  source: WORDS,
  target: WORDS,
  note: WORDS,
}

const OF_20: Readonly<Record<string, Rule>> = {
  xliff: {
    holds: /^(?:file )+$/,
    says: {
      version: /^2\.0$/,
      srcLang: TAG,
      trgLang: TAG,
      xmlns: /^urn:oasis:names:tc:xliff:document:2\.0$/,
    },
  },
  file: { holds: /^(?:unit )+$/, says: { id: NAME } },
  unit: { holds: /^notes segment $/, says: { id: NAME }, maySay: { name: ANY } },
  notes: { holds: /^(?:note )+$/, says: {} },
  note: WORDS,
  segment: {
    holds: /^source target $/,
    says: {},
    maySay: { state: /^(?:initial|translated|reviewed|final)$/ },
  },
  source: { holds: /^(?:# |cp )*$/, says: PRESERVE },
  target: { holds: /^(?:# |cp )*$/, says: PRESERVE },
  cp: { holds: /^$/, says: { hex: /^[0-9A-F]{4,6}$/ } },
}

/** Everything in which a document breaks the rules. */
function faultsOf(xml: string, rules: Readonly<Record<string, Rule>>): readonly string[] {
  const faults: string[] = []
  const ids = new Set<string>()
  const open: { readonly name: string; holds: string }[] = []
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => faults.push(error.message))
  parser.on('text', (words) => {
    const around = open.at(-1)
    const isIndent = /^\s*$/.test(words) && !['source', 'target', 'note'].includes(around?.name ?? '')
    if (around && !isIndent && !around.holds.endsWith('# ')) around.holds += '# '
  })
  parser.on('opentag', ({ name, attributes }) => {
    const around = open.at(-1)
    if (around) around.holds += `${name} `
    open.push({ name, holds: '' })
    const rule = rules[name]
    if (rule === undefined) return void faults.push(`there is no <${name}>`)
    const said = Object.entries(attributes).map(([key, { value }]) => [key, value] as const)
    for (const [key, value] of said) {
      const pattern = rule.says[key] ?? rule.maySay?.[key]
      if (pattern?.test(value) !== true) faults.push(`<${name} ${key}="${value}">`)
      if (key === 'id' && name.endsWith('unit')) {
        if (ids.has(value)) faults.push(`the id '${value}' is there twice`)
        ids.add(value)
      }
    }
    for (const key of Object.keys(rule.says))
      if (!said.some(([one]) => one === key)) faults.push(`<${name}> has no ${key}`)
  })
  parser.on('closetag', () => {
    const { name, holds } = open.pop()!
    if (rules[name]?.holds.test(holds) === false) faults.push(`<${name}> holds ${holds}`)
  })
  parser.write(xml).close()
  return faults
}

const text = fc
  .string({ unit: 'binary', maxLength: 30 })
  .filter((one) => !one.includes('\0') && one.isWellFormed())
const step = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_ äß😀-]{0,9}$/u)
const writing = fc
  .uniqueArray(
    fc.record({
      key: fc.array(step, { minLength: 2, maxLength: 5 }).map((steps) => steps.join('.')),
      context: text,
      source: text,
      text: fc.option(text, { nil: undefined }),
    }),
    { selector: ({ key }) => key, minLength: 1, maxLength: 12 },
  )
  .map((entries) => ({ domain: 'shop', defaultLocale: 'en', locale: 'de-AT', entries }))

// The schemas of OASIS are theirs to give away: what of them concerns these documents stands above.
describe('XLIFF that is written', () => {
  it.each([
    ['1.2', writeXliff12, OF_12],
    ['2.0', writeXliff20, OF_20],
  ] as const)('has the structure of %s', (_, write, rules) => {
    fc.assert(
      fc.property(writing, (given) => {
        expect(faultsOf(write(given), rules)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('would not pass with an element of another name, without an id, or with one twice', () => {
    const entry = { key: 'a.b', context: 'c', source: 's', text: 't' }
    const given = { domain: 'shop', defaultLocale: 'en', locale: 'de', entries: [entry] }
    const [old, recent] = [writeXliff12(given), writeXliff20(given)]
    expect(faultsOf(old.replaceAll('source>', 'sauce>'), OF_12)).not.toEqual([])
    expect(faultsOf(recent.replace('unit id=', 'unit nope='), OF_20)).not.toEqual([])
    expect(faultsOf(writeXliff20({ ...given, entries: [entry, entry] }), OF_20)).toEqual([
      "the id 'a.b' is there twice",
    ])
  })
})
