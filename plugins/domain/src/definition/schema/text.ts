import { z } from 'zod'

/** Text for people: one for all locales, or a map from locale to text. */
export const Text = z
  .union([z.string(), z.record(z.string(), z.string())])
  .meta({ id: 'Text', description: 'Text for people: one for all locales, or a map from locale to text.' })
export type Text = z.infer<typeof Text>

/** A path, or a part of one. */
export const UrlPath = z.string().min(1).max(500)

/** Any JSON value. */
export const JsonValue = z.json().meta({ id: 'Json', description: 'Any JSON value.' })

/** Roles, or one AEL expression, that let a caller do something. */
export const Permission = z.union([z.array(z.string().min(1)), z.string().min(1)]).meta({
  id: 'Permission',
  description:
    'Who may: a list of roles (* for everybody, authenticated, owner, or any role), or one expression.',
})
export type PermissionDefinition = z.infer<typeof Permission>
