import { join } from 'node:path'
import { BUILT_IN, ServerSections } from '@svc/server'
import { expect, it } from 'vitest'
import { z } from 'zod'

// The page is made of the schemas of the configuration themselves. Renew it with `vitest run test/docs -u`.

const PAGE = join(import.meta.dirname, '../../docs/configuration.md')

type Schema = z.core.JSONSchema.BaseSchema

it('docs/configuration.md tells every section and key', async () => {
  await expect(page()).toMatchFileSnapshot(PAGE)
})

it('says what every key means', () => {
  const keys = sections().flatMap(({ name, schema }) => rowsOf(schema, '').map((row) => ({ name, ...row })))
  expect(
    keys
      .filter(({ meaning, isGroup }) => meaning === '' && !isGroup)
      .map(({ name, key }) => `${name}.${key}`),
  ).toEqual([])
})

const page = (): string => `# Configuration

One JSON file, without comments. \`\${VAR}\` and \`\${VAR:default}\` are replaced inside of text values, by variables of the environment or else of a file \`.env\` beside it; relative paths start at the folder of the file. An unknown section or key ends the start, as does a value that does not fit. A section belongs to the plugin that reads it and is left out with it.

${sections().map(section).join('\n\n')}
`

interface Section {
  readonly name: string
  readonly plugin: string | undefined
  readonly schema: Schema
}

function sections(): readonly Section[] {
  const { logging, ...own } = ServerSections.shape
  return [
    { name: '', plugin: undefined, schema: schemaOf(z.object(own)) },
    { name: 'logging', plugin: undefined, schema: schemaOf(logging) },
    ...Object.entries(BUILT_IN).flatMap(([plugin, { section: name = plugin, config }]) =>
      config === undefined ? [] : { name, plugin, schema: schemaOf(config) },
    ),
  ]
}

const schemaOf = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })

const section = ({
  name,
  plugin,
  schema,
}: Section): string => `## ${name === '' ? 'The server itself' : `\`${name}\``}
${plugin === undefined ? '' : `\nRead by the plugin \`${plugin}\`.\n`}
| Key | Values | Unless said | Meaning |
| --- | --- | --- | --- |
${rowsOf(schema, '')
  .map(({ key, values, fallback, meaning }) => `| \`${key}\` | ${values} | ${fallback} | ${meaning} |`)
  .join('\n')}`

interface Row {
  readonly key: string
  readonly values: string
  readonly fallback: string
  readonly meaning: string
  /** Other keys say what it means. */
  readonly isGroup: boolean
}

/** The keys of a section, those of maps in it behind a dot. */
function rowsOf({ properties = {}, required = [] }: Schema, before: string): readonly Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (typeof schema !== 'object') return []
    const key = `${before}${name}`
    const inner = rowsOf(schema, `${key}.`)
    const fallback =
      schema.default === undefined ? (required.includes(name) ? 'required' : '') : code(schema.default)
    const isGroup = inner.length > 0
    const row = {
      key,
      values: escaped(valuesOf(schema)),
      fallback: isGroup ? '' : fallback,
      meaning: escaped(schema.description ?? ''),
      isGroup,
    }
    return isGroup && row.meaning === '' ? inner : [row, ...inner]
  })
}

function valuesOf(schema: Schema): string {
  const { type, const: only, enum: values, anyOf, items, minimum, maximum } = schema
  if (only !== undefined) return code(only)
  if (values !== undefined) return values.map((value) => code(value)).join(', ')
  if (anyOf !== undefined)
    return anyOf.flatMap((one) => (typeof one === 'object' ? valuesOf(one) : [])).join(' or ')
  if (type === 'array')
    return typeof items === 'object' && !Array.isArray(items) ? `list of ${valuesOf(items)}` : 'list'
  if (type === 'integer' || type === 'number') return [NAMES[type], ...rangeOf(minimum, maximum)].join(', ')
  return NAMES[String(type)] ?? 'anything'
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'map',
}

function rangeOf(least: number | undefined, greatest: number | undefined): readonly string[] {
  const from = least === undefined || least <= Number.MIN_SAFE_INTEGER ? [] : [`from ${least}`]
  const to = greatest === undefined || greatest >= Number.MAX_SAFE_INTEGER ? [] : [`to ${greatest}`]
  return [...from, ...to]
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``

const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`)
