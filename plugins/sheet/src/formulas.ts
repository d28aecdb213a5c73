import type { ResourceBlock, ResourceSite } from '@svc/domain/contract'
import { z } from 'zod'
import { depthOf } from './depth.ts'
import type { Recompute } from './recomputing.ts'

const ComputedFields = z.strictObject({
  overridable: z
    .union([z.boolean(), z.array(z.string().min(1))])
    .optional()
    .describe(
      'Stored computed fields for which a record may have a formula of its own: true for all, or names; false unless said.',
    ),
  reactive: z
    .boolean()
    .optional()
    .describe(
      'Whether every computed field is stored, so that lists filter and sort by it, and follows what it finds in other records; false unless said.',
    ),
  crossRecord: z
    .boolean()
    .optional()
    .describe(
      'Whether stored formulas may look into other records, by lookup and aggregate; false unless said.',
    ),
  maxDepth: z
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe('How long a chain of computed fields that read each other may be: 1 to 50, 10 unless said.'),
})
type ComputedFields = z.output<typeof ComputedFields>

/** The longest chain of computed fields where the definition does not say. */
const USUAL_DEPTH = 10

/** The key `computedFields` of a resource with `mode: sheet`. */
export const formulasBlock = (recompute: Recompute): ResourceBlock<ComputedFields> => ({
  on: 'resource',
  key: 'computedFields',
  schema: ComputedFields.describe('What formulas of a sheet may do.'),
  compile(written, site) {
    if (site.resource.definition.mode !== 'sheet') {
      if (written) site.warning([], "means nothing without 'mode: sheet'")
      return undefined
    }
    const { maxDepth = USUAL_DEPTH, overridable, reactive = false } = written ?? {}
    if (overridable !== undefined) judgeOverridable(overridable, site)
    const { resource } = site
    const depth = depthOf(resource, site.model)
    if (depth.length > maxDepth)
      site.problem(
        written?.maxDepth === undefined ? [] : ['maxDepth'],
        `${depth.length} computed fields read each other in a chain (${depth.join(' → ')}), and ${maxDepth} may`,
      )
    if (!reactive) return undefined
    return {
      postpone: (due, by, transaction) => recompute.put(due, by, transaction),
      open: (data) => recompute.open(resource, data),
    }
  },
})

/** A formula of a record is worked out when the record is written: what it stands in for is kept. */
function judgeOverridable(overridable: boolean | readonly string[], site: ResourceSite): void {
  const { fields, name: resource } = site.resource
  const named = typeof overridable === 'boolean' ? [] : overridable
  for (const [at, name] of named.entries()) {
    const field = fields.get(name)
    if (field?.computed === undefined)
      site.problem(['overridable', at], `'${resource}' has no computed field '${name}'`)
    else if (!field.computed.stored) site.problem(['overridable', at], ...unstored(name))
  }
  if (overridable !== true) return
  for (const { name, computed } of fields.values())
    if (computed?.stored === false) site.problem(['overridable'], ...unstored(name))
}

const unstored = (name: string): readonly [string, string] => [
  `'${name}' is worked out on every read, which a formula of a record does not take part in`,
  'Store it (stored: true), or name the fields that may be overridden',
]
