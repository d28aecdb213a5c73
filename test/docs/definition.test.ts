import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DefinitionError, languageSchema, readModel } from '@svc/domain/contract'
import { builtInLanguage } from '@svc/server'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { load } from 'js-yaml'
import { afterAll, describe, expect, it } from 'vitest'

// Every block of YAML in `docs/definition` is a definition that can be used: a whole one, keys under `domain`, or,
// where the fence names a file, one of several files whose root is `domain.yaml`.

const PAGES = join(import.meta.dirname, '../../docs/definition')
const WORKSHOP = join(import.meta.dirname, '../../apps/server/examples/workshop/domain.yaml')
const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
afterAll(() => rmSync(folder, { recursive: true }))

const language = await builtInLanguage()

interface Example {
  readonly page: string
  readonly line: number
  readonly file: string | undefined
  readonly text: string
}

function examplesOf(page: string): readonly Example[] {
  const content = readFileSync(join(PAGES, page), 'utf8')
  return [...content.matchAll(/^```yaml *(\S*)\n(.*?)^```$/gms)].map(({ index, 1: file, 2: text = '' }) => ({
    page,
    line: content.slice(0, index).split('\n').length,
    file: file === '' ? undefined : file,
    text,
  }))
}

/** Keys under `domain` become a whole definition. */
function whole(text: string): string {
  if (text.startsWith('domain:')) return text
  const resources = /^resources:/m.test(text) ? '' : 'resources: { Thing: { object: { name: string } } }\n'
  return `domain:\n${`name: shop\nversion: '1.0'\n${resources}${text}`.replace(/^/gm, '  ')}`
}

/** Everything that is wrong or means nothing. */
async function findings(source: { text: string } | { file: string }): Promise<readonly string[]> {
  const told = ({ path, message }: { path: readonly (string | number)[]; message: string }) =>
    `${path.join('.')}: ${message}`
  try {
    return (await readModel(source, language, secretOf)).warnings.map(told)
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems.map(told)
    throw error
  }
}

/** The operator has set what an example keeps secret. */
const secretOf = (name: string) => (name.startsWith('SVC_DOMAIN_') ? 'set' : undefined)

const pages = readdirSync(PAGES).filter((name) => name.endsWith('.md'))
const examples = pages.flatMap(examplesOf)

/** What a page says that its example is warned of. */
const WARNED: Readonly<Record<string, readonly string[]>> = {
  'privacy.md': [
    'domain.privacy: the key by which people are found, and of pseudonyms, lies in the database, for there is no encryption',
  ],
}

describe('the examples in docs/definition', () => {
  it.each(examples.filter(({ file }) => file === undefined))('$page, line $line', async ({ page, text }) => {
    expect(await findings({ text: whole(text) })).toEqual(WARNED[page] ?? [])
  })

  it.each(pages.filter((page) => examples.some((one) => one.page === page && one.file)))(
    '%s, in files',
    async (page) => {
      for (const { file, text } of examples.filter((one) => one.page === page)) {
        if (file === undefined) continue
        mkdirSync(dirname(join(folder, page, file)), { recursive: true })
        writeFileSync(join(folder, page, file), text)
      }
      expect(await findings({ file: join(folder, page, 'domain.yaml') })).toEqual([])
    },
  )

  it('are on every page', () => {
    expect(pages.filter((page) => !examples.some((one) => one.page === page))).toEqual([])
  })
})

it('the JSON Schema of the language takes the example', () => {
  const { extensions, types } = language
  const schema = languageSchema(extensions, types.names)
  const accepts = new Ajv2020({ allErrors: true, strictTypes: false }).compile(schema)
  accepts(load(readFileSync(WORKSHOP, 'utf8')))
  expect(accepts.errors ?? []).toEqual([])
})

describe('the pages in docs/definition', () => {
  it('name every key of the language', () => {
    const text = pages.map((page) => readFileSync(join(PAGES, page), 'utf8')).join('\n')
    const { $defs = {} } = languageSchema(language.extensions, language.types.names)
    const keys = Object.values($defs).flatMap(({ properties = {}, anyOf = [] }) => [
      ...Object.keys(properties),
      ...anyOf.flatMap((form) => (typeof form === 'object' ? Object.keys(form.properties ?? {}) : [])),
    ])
    expect(keys.filter((key) => !new RegExp(`(?<!\\w)${key.replace('$', '\\$')}\\b`).test(text))).toEqual([])
  })

  it('lead to pages that are there', () => {
    const links = pages.flatMap((page) =>
      [...readFileSync(join(PAGES, page), 'utf8').matchAll(/\]\(([^)#]+)\)/g)].map(([, to = '']) => to),
    )
    // Those to other folders are followed with all links of the documentation.
    expect(links.filter((to) => !to.startsWith('../') && !pages.includes(to))).toEqual([])
  })
})
