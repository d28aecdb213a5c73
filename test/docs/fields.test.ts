import { join } from 'node:path'
import { sentenceOf } from '@svc/domain/contract'
import { builtInLanguage } from '@svc/server'
import { expect, it } from 'vitest'

// The page is made of the field types themselves. Renew it with `vitest run test/docs -u`.

const PAGE = join(import.meta.dirname, '../../docs/definition/fields.md')

const { types } = await builtInLanguage()

/** What no type takes, from what comes nearest to a text on. */
const PROBES = ['§ §', true, {}] as const

it('docs/definition/fields.md tells what the field types are', async () => {
  await expect(page()).toMatchFileSnapshot(PAGE)
})

const page = (): string => `# Fields

A field of a resource's \`object\` is the name of its type, or a map of attributes. So are the fields of a block and of a component.

\`\`\`yaml
resources:
  Member:
    object:
      number: autoincrement
      name: { type: string, required: true, maxLength: 80, label: { en: Name, de: Name } }
      email: { type: email, required: true, unique: true, description: Where we write to }
      slug: { type: slug, from: name, unique: true }
      kind: { type: string, enum: [guest, regular, honorary], default: guest }
      code: { type: string, immutable: true, pattern: '^[A-Z]{3}$', minLength: 3 }
      fee: { type: money, min: 0, max: 500 }
      rate: { type: decimal, scale: 4 }
      languages: { type: set, items: language, minItems: 1, maxItems: 5 }
      address: { type: component, fields: { street: string, city: { type: string, required: true } } }
      phone: { type: phone, hidden: true, requestable: true, privacy: { pii: true } }
      joinedAt: { type: datetime, autoNow: create }
      remarks: { type: text, renamedFrom: notes }
\`\`\`

## Types

A value of another JSON type is refused: \`"5"\` is no number. \`money\` has two digits after the point at most unless \`scale\` (0 to 20) says otherwise; \`decimal\` and \`percentage\` have as many as are sent, or \`scale\`. A number with more is 422 VALIDATION_ERROR with the rule \`format\`: what is sent is not rounded, as [what is worked out](computed.md) is.

| Type | Also | Values | Stored as | Takes | Filters |
| --- | --- | --- | --- | --- | --- |
${types.all.map(row).join('\n')}

Only what a type takes has a meaning for it; anything else is a warning. A password is stored as a hash and never shown, a token is made by the service, an autoincrement counts by itself: no number is given twice, and one may be missing. Text is searched in fields of type ${types.all
  .filter(({ searchable }) => searchable)
  .map(({ name }) => name)
  .join(', ')}. [Pictures](svg.md) and [geometries](geometry.md) have pages of their own.

## Attributes of every field

| Attribute | |
| --- | --- |
| \`type\` | Required, but for a computed field. |
| \`primaryKey\` | The key; one for each resource, of type uuid, string or integer. |
| \`required\` | A create has to bring a value. |
| \`unique\` | No two records have the same value. |
| \`immutable\` | The value stays as it was created. |
| \`default\` | What a create without a value gets; it has to fit the field. |
| \`enum\` | The values that are allowed: a list, or the name of an [enumeration](enums.md). |
| \`autoNow\` | \`create\`, \`update\` or \`always\`: which writes set the field to their time. |
| \`computed\` | A [formula](computed.md) in place of sent values. |
| \`hidden\`, \`requestable\` | A hidden field is left out of answers; a requestable one is shown to those who ask for it by \`fields\`. |
| \`renamedFrom\` | The former name: the values are kept. |
| \`label\`, \`description\` | For people. |
| \`privacy\` | \`classification\`, \`pii\`, \`sensitive\`, \`phi\`, \`encrypted\`, \`subjectIdentifier\`. |
`

type FieldType = (typeof types.all)[number]

function row(type: FieldType): string {
  const takes = [...type.uses, ...Object.keys(type.attributes)].map((name) => `\`${name}\``)
  const cells = [
    `\`${type.name}\``,
    type.aliases.map((name) => `\`${name}\``).join(', '),
    valuesOf(type),
    type.column,
    takes.join(', '),
    type.operators.join(', '),
  ]
  return `| ${cells.join(' | ')} |`
}

/** The values of a type, in the words in which it refuses others. */
function valuesOf(type: FieldType): string {
  const { check } = types.compile(
    type,
    { type: type.name },
    { allowed: undefined, blocks: new Map(), enums: new Map() },
  )
  const faults = PROBES.flatMap((probe) => {
    const checked = check(probe)
    return 'faults' in checked ? checked.faults : []
  })
  const told = faults.find(({ rule }) => rule === 'format' || rule === 'type')
  return told === undefined ? 'any JSON value' : sentenceOf(told).replace(/^must be /, '')
}
