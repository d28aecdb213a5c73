import { z } from 'zod'

const roles = z.array(z.string().min(1)).optional()

/** How many columns a resource may have, where the definition does not say, and at most. */
export const MAX_COLUMNS = { usual: 50, most: 500 } as const

/** The key `dynamicFields` of a resource. */
export const DynamicFields = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe('Whether columns can be added, changed and deleted; true unless said.'),
  allowTypes: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('The types that a column may have; all that a column can have unless said.'),
  maxColumns: z
    .int()
    .min(1)
    .max(MAX_COLUMNS.most)
    .optional()
    .describe(`How many columns there may be: 1 to ${MAX_COLUMNS.most}, ${MAX_COLUMNS.usual} unless said.`),
  permissions: z
    .strictObject({
      addColumn: roles.describe('Roles that may add a column; admins unless said.'),
      renameColumn: roles.describe('Roles that may change a column; admins unless said.'),
      deleteColumn: roles.describe('Roles that may delete a column; admins unless said.'),
    })
    .optional()
    .describe('Who may add, change and delete columns.'),
})
export type DynamicFields = z.output<typeof DynamicFields>
