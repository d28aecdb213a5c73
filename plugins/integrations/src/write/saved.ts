import type { Field, Resource } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import type { Writing } from './writing.ts'

/** The name under which writes find the id of an item that was brought: no text can write it. */
export const SAVED = '~saved'

/** Writes an item that was brought into a field of `$record`, and then whatever else is written. */
export const savedInto = (field: Field, resource: Resource, rest: Writing | undefined): Writing => ({
  expressions: rest?.expressions ?? [],
  isFinding: rest?.isFinding ?? false,
  resources: new Set([resource, ...(rest?.resources ?? [])]),
  prepare: async (context, finds) => rest?.prepare(context, finds),
  async apply(context, finds, writes, as) {
    const { key, variables } = context
    if (key === undefined || key === null)
      throw errors.NOT_FOUND({ message: `No '${resource.name}' was found that is to be written` })
    const values = { [field.name]: variables?.[SAVED] ?? null }
    await writes.record({ kind: 'update', resource, key, values, as })
    const saved = { resource: resource.name, action: 'update', id: key }
    const { written, mapped } = (await rest?.apply(context, finds, writes, as)) ?? { written: [], mapped: {} }
    return { written: [saved, ...written], mapped }
  },
  preview: async (context, finds, shows) => (await rest?.preview(context, finds, shows)) ?? [],
})
