import { PermissionSchema, Text } from '@svc/domain/contract'
import { z } from 'zod'
import { INTERVALS } from '../aggregates/interval.ts'
import { FUNCTIONS } from '../aggregates/measure.ts'
import { Name } from '../names.ts'
import { Sort } from '../views/definition.ts'

export const WIDGET_TYPES = [
  'counter',
  'scorecard',
  'gauge',
  'breakdown',
  'timeSeries',
  'table',
  'timeline',
] as const
export type WidgetType = (typeof WIDGET_TYPES)[number]

const place = z.int().min(1).max(1000)
const Color = z.string().regex(/^#[0-9A-Fa-f]{6}$/, { error: 'must be a colour, as in #16A34A' })

const Query = z.strictObject({
  source: z.string().min(1).optional().describe('A resource or a view.'),
  filter: z.string().min(1).optional().describe('Which of its records: an expression.'),
  scope: z.string().min(1).optional().describe('A scope of the source.'),
  aggregate: z.enum(FUNCTIONS).optional().describe('What they come to: count unless said.'),
  field: z.string().min(1).optional().describe('What of them is counted or summed.'),
  groupBy: z.string().min(1).optional().describe('Of a breakdown: by what they are gathered.'),
  sort: Sort.optional(),
  limit: z.int().min(1).max(1000).optional().describe('How many groups, rows or entries.'),
  interval: z.enum(INTERVALS).optional().describe('Of a timeSeries: how long a group is.'),
  dateField: z
    .string()
    .min(1)
    .optional()
    .describe('Of a timeSeries: the date that counts; createdAt unless said.'),
  timezone: z
    .string()
    .min(1)
    .optional()
    .describe("The IANA zone whose calendar counts: the domain's unless said."),
  last: z.int().min(1).max(1000).optional().describe('Of a timeSeries: how many intervals.'),
  view: z.string().min(1).optional().describe('Of a table: the view whose rows it has.'),
  events: z.array(z.string().min(1)).optional().describe('Of a timeline: these events alone.'),
})
export type WrittenQuery = z.output<typeof Query>

const Threshold = z.union([z.number(), z.string().min(1)])

const Widget = z.strictObject({
  type: z.enum(WIDGET_TYPES),
  query: z
    .union([z.string().min(1), Query])
    .describe('What it shows; a text is an expression of aggregates.'),
  label: Text.optional(),
  position: z
    .strictObject({ row: place, column: place, width: place.optional(), height: place.optional() })
    .optional()
    .describe('Where it stands, from 1 on.'),
  format: z.string().min(1).optional().describe('How values are written as text.'),
  thresholds: z
    .record(z.string().min(1), Threshold)
    .optional()
    .describe('Names of levels, with a number each, or with < <= > >= and one.'),
  target: z
    .union([z.number(), z.string().min(1)])
    .optional()
    .describe('What is aimed at: a number, or an expression of aggregates.'),
  colorMap: z.record(z.string(), Color).optional().describe('Colours of groups, or of levels.'),
  min: z.number().optional().describe('Of a gauge: 0 unless said.'),
  max: z.number().optional().describe('Of a gauge: the target unless said, then the greatest threshold.'),
})
export type WrittenWidget = z.output<typeof Widget>

const DashboardDefinition = z.strictObject({
  label: Text.optional(),
  description: Text.optional(),
  permissions: PermissionSchema.optional().describe('Who may ask for it: [admin] unless said.'),
  refresh: z.string().min(1).optional().describe('For how long an answer is kept: 1s to 24h.'),
  layout: z
    .strictObject({ columns: z.int().min(1).max(24).optional() })
    .optional()
    .describe('12 columns unless said.'),
  widgets: z
    .record(Name, Widget)
    .refine((all) => Object.keys(all).length >= 1 && Object.keys(all).length <= 50, {
      error: 'must have 1 to 50 widgets',
    }),
})
export type DashboardDefinition = z.output<typeof DashboardDefinition>

export const DashboardDefinitions = z
  .record(Name, DashboardDefinition)
  .describe('Figures at a glance, by name.')
export type DashboardDefinitions = z.output<typeof DashboardDefinitions>
