import { PermissionSchema, Text, WrittenParameter } from '@svc/domain/contract'
import { z } from 'zod'
import { INTERVALS } from '../aggregates/interval.ts'
import { Name } from '../names.ts'

/** The most rows of a table that is no file of lines, and the most groups. */
export const MOST_ROWS = 5000

const Metric = z.strictObject({
  label: Text,
  value: z.string().min(1).describe("An expression of aggregates: `sum(Invoice.gross, status == 'paid')`."),
  format: z.string().min(1).optional().describe('How it is written as text.'),
})

const GroupBy = z.union([
  z.string().min(1),
  z.strictObject({
    column: z.string().min(1),
    interval: z.enum(INTERVALS).optional().describe('For dates: by what they are gathered.'),
    timezone: z
      .string()
      .min(1)
      .optional()
      .describe("The IANA zone whose calendar counts: the domain's unless said."),
  }),
])

export const TOTALS = ['sum', 'avg', 'min', 'max', 'count'] as const

const Table = z.strictObject({
  view: z.string().min(1).describe('The view whose rows it has.'),
  filter: z
    .string()
    .min(1)
    .optional()
    .describe("Which of them: an expression over the view's source and the parameters."),
  groupBy: GroupBy.optional().describe('A column by which rows are gathered.'),
  totals: z
    .union([z.array(z.string().min(1)), z.record(z.string().min(1), z.enum(TOTALS))])
    .optional()
    .describe('Columns to sum, or what each comes to: sum, avg, min, max, count.'),
  limit: z.int().min(0).max(MOST_ROWS).optional().describe('How many rows it shows: 1000 unless said.'),
  emptyMessage: Text.optional().describe('What it says where there are no rows.'),
})
export type WrittenTable = z.output<typeof Table>

const Section = z.strictObject({
  title: Text.optional(),
  metrics: z.array(Metric).min(1).max(50).optional().describe('Figures, one beside the other.'),
  table: Table.optional(),
})
export type WrittenSection = z.output<typeof Section>

const ReportDefinition = z.strictObject({
  label: Text.optional(),
  description: Text.optional(),
  permissions: PermissionSchema.optional().describe('Who may ask for it: [admin] unless said.'),
  header: Text.optional().describe('A text over the parameters.'),
  footer: Text.optional().describe('A text over the parameters.'),
  parameters: z.array(WrittenParameter).max(20).optional().describe('What a request may say.'),
  sections: z.array(Section).min(1).max(50),
})
export type ReportDefinition = z.output<typeof ReportDefinition>

export const ReportDefinitions = z
  .record(Name, ReportDefinition)
  .describe('Figures and tables over views, by name.')
export type ReportDefinitions = z.output<typeof ReportDefinitions>
