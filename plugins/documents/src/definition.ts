import { eventsOf, triggerKeys, EVENTS } from '@svc/automation/contract'
import { Text, WrittenParameter } from '@svc/domain/contract'
import { NotificationDefinition } from '@svc/notifications/contract'
import { FORMAT_NAMES } from '@svc/render/contract'
import { z } from 'zod'

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/
const Name = z
  .string()
  .regex(NAME, { error: 'must be a letter, and up to 62 letters, digits and _ behind it' })
const names = z.array(z.string().min(1))

const Permission = z.union([names, z.string().min(1)])

const Include = z.union([z.string().min(1), names]).describe('Relationships whose records come along.')

/** One source of data; which keys go together is checked where it is compiled. */
const WrittenSource = z.union([
  z.literal('record'),
  z.strictObject({
    record: z.string().min(1).optional().describe('The resource whose record the document is about.'),
    include: Include.optional(),
    source: z.string().min(1).optional().describe('A resource, whose records are read.'),
    filter: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Which of them: an expression over the source; $record, $params and earlier names are values.',
      ),
    sort: z
      .union([z.string().min(1), names])
      .optional()
      .describe('Their order: <field> asc|desc, with commas between, or a list of these.'),
    single: z.boolean().optional().describe('Whether the first of them is wanted alone, or null.'),
    limit: z.int().min(1).max(10_000).optional().describe('How many at most.'),
    static: z.json().optional().describe('A value that stands for itself.'),
    computed: z.string().min(1).optional().describe('An expression.'),
    history: z
      .union([
        z.literal(true),
        z.strictObject({ limit: z.int().min(1).max(1000).optional(), events: names.min(1).optional() }),
      ])
      .optional()
      .describe("The record's timeline, the newest first."),
  }),
])
export type WrittenSource = z.output<typeof WrittenSource>

const millimetres = z.number().min(0).max(200)
const Sides = z.strictObject({ left: Text.optional(), center: Text.optional(), right: Text.optional() })
const Line = z.union([Sides, Text])

const Layout = z.strictObject({
  pageSize: z.enum(['A3', 'A4', 'A5', 'Letter', 'Legal']).optional(),
  orientation: z.enum(['portrait', 'landscape']).optional(),
  margins: z
    .union([
      millimetres,
      z.strictObject({
        top: millimetres.optional(),
        right: millimetres.optional(),
        bottom: millimetres.optional(),
        left: millimetres.optional(),
      }),
    ])
    .optional()
    .describe('Millimetres; 20 unless said.'),
  header: Line.optional(),
  footer: Line.optional(),
  logo: z
    .union([
      z.string().min(1),
      z.strictObject({
        source: z.string().min(1),
        width: z.number().positive().max(500).optional(),
        position: z.enum(['left', 'center', 'right']).optional(),
      }),
    ])
    .optional()
    .describe('The id of a media item, <set>:<name>, or a placeholder.'),
  font: z.string().min(1).optional().describe('A family of `fonts`.'),
  fontSize: z.number().min(4).max(72).optional().describe('Points; 10 unless said.'),
})
export type WrittenLayout = z.output<typeof Layout>

const TemplateDefinition = z.strictObject({
  trigger: z
    .union([z.literal('manual'), z.strictObject({ ...triggerKeys, event: eventsOf(EVENTS) }).partial()])
    .optional()
    .describe('What generates it besides people: manual (nothing) unless said.'),
  condition: z.string().min(1).optional().describe('What has to hold of the record.'),
  format: z.enum(FORMAT_NAMES).optional().describe('pdf unless said.'),
  permissions: z
    .strictObject({ generate: Permission.optional(), view: Permission.optional() })
    .optional()
    .describe('Who may generate it (admin unless said), and who may view what was generated (the same).'),
  parameters: z.array(WrittenParameter).max(20).optional().describe('What whoever generates it may say.'),
  data: z.record(Name, WrittenSource).optional().describe('What it is filled with, by names.'),
  layout: Layout.optional(),
  filename: Text.optional(),
  attachTo: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A media field of the record, which takes the document as an item besides; a list takes it as its last.',
    ),
  notification: NotificationDefinition.extend({
    attach: z.boolean().optional().describe('Whether a mail carries the document; it does unless said.'),
  })
    .optional()
    .describe('A message that is raised with the document.'),
  body: Text.describe('Markdown with placeholders.'),
  runAs: z
    .enum(['caller', 'system'])
    .optional()
    .describe('By whose rights data is read: the caller unless said.'),
  timezone: z.string().min(1).optional().describe('The zone in which times are written.'),
  label: Text.optional(),
  description: Text.optional(),
})
export type TemplateDefinition = z.output<typeof TemplateDefinition>

export const TemplateDefinitions = z
  .record(Name, TemplateDefinition)
  .describe('Documents that are made of records, by name.')
