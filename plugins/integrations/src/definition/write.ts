import { z } from 'zod'

const Values = z.record(z.string().min(1), z.json())

const WriteDefinition = z
  .strictObject({
    resource: z
      .string()
      .min(1)
      .optional()
      .describe("The resource that is written: the operation's unless said."),
    action: z
      .enum(['create', 'update', 'upsert', 'delete', 'transition'])
      .optional()
      .describe('upsert with `match`, else an update of `$record`, else create, unless said.'),
    match: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe('Fields of the mapping by whose values the record is found.'),
    mapping: Values.optional().describe('The values, by field.'),
    required: z.array(z.string().min(1)).optional().describe('Fields that must not be null.'),
    skipNull: z.boolean().optional().describe('Whether what is null is left as it is; false unless said.'),
    transition: z.string().min(1).optional().describe('action: transition: its name.'),
    when: z.string().min(1).optional().describe('A condition: where it is false nothing is written.'),
    forEach: z.json().optional().describe('A list, at most 1,000 long: it is done for each as `$item`.'),
  })
  .describe('A record that is written of what came back, or in.')
export type WriteDefinition = z.output<typeof WriteDefinition>

/** One write, or several. */
export const WritesDefinition = z.union([WriteDefinition, z.array(WriteDefinition).min(1)])
export type WritesDefinition = z.output<typeof WritesDefinition>
