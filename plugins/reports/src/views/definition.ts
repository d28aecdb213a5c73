import { PermissionSchema, Text } from '@svc/domain/contract'
import { z } from 'zod'
import { Name } from '../names.ts'

/** The most columns of a view. */
const MOST_COLUMNS = 100
/** The most rows of a page. */
export const MOST_ROWS = 1000

export const STYLES = ['info', 'success', 'warning', 'error'] as const
export type Style = (typeof STYLES)[number]

const Expression = z.string().min(1)

const Highlight = z
  .union([Expression, z.partialRecord(z.enum(STYLES), Expression)])
  .describe(
    'When the value stands out: a condition (`warning`), or one for each style; the first that holds counts.',
  )

const Column = z.union([
  z.string().min(1),
  z.strictObject({
    field: z
      .string()
      .min(1)
      .optional()
      .describe('A field of the source, or of a record that it belongs to: `customer.name`.'),
    name: z.string().min(1).max(130).optional().describe('What the column is called: the field unless said.'),
    label: Text.optional().describe("What it is headed by: the field's label unless said."),
    computed: Expression.optional().describe(
      'An expression over the source and the records that it belongs to.',
    ),
    format: z
      .string()
      .min(1)
      .optional()
      .describe("How values are written as text: as the field's type has it unless said."),
    highlight: Highlight.optional(),
  }),
])
export type WrittenColumn = z.output<typeof Column>

export const Sort = z
  .union([z.string().min(1), z.array(z.string().min(1))])
  .describe('The order: `<field> asc|desc`, with commas between, or a list of these.')

const ViewDefinition = z.strictObject({
  source: z.string().min(1).describe('The resource whose records it shows.'),
  columns: z.array(Column).min(1).max(MOST_COLUMNS).describe('What it shows of each.'),
  label: Text.optional(),
  description: Text.optional(),
  filter: Expression.optional().describe('Which records: an expression over the source.'),
  scope: z.string().min(1).optional().describe('A scope of the source: its default one unless said.'),
  permissions: PermissionSchema.optional().describe('Who may ask for it: [admin] unless said.'),
  sort: Sort.optional(),
  defaultLimit: z
    .int()
    .min(1)
    .max(MOST_ROWS)
    .optional()
    .describe('How many rows a page has unless a request says: 50 unless said.'),
})
export type ViewDefinition = z.output<typeof ViewDefinition>

export const ViewDefinitions = z
  .record(Name, ViewDefinition)
  .describe('Tables over the records of a resource, by name.')
export type ViewDefinitions = z.output<typeof ViewDefinitions>
