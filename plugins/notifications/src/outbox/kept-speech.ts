import type { Model, Speech } from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import { z } from 'zod'

const Kind = z.enum(['text', 'number', 'boolean', 'date', 'datetime', 'list', 'object', 'null', 'unknown'])
const KeptSpeech = z.object({
  resource: z.string().nullable(),
  moment: z.enum(['read', 'write']),
  parameters: z.array(z.tuple([z.string(), Kind])),
  variables: z.array(z.tuple([z.string(), Kind])),
})

/** What texts may name, as JSON keeps it. */
export const keepSpeech = ({ resource, moment, parameters, variables }: Speech): Value => ({
  resource: resource?.name ?? null,
  moment,
  parameters: [...(parameters ?? [])].map(([name, kind]) => [name, kind]),
  variables: [...(variables ?? [])].map(([name, kind]) => [name, kind]),
})

/** The same against a model; undefined where its resource is not there any more. */
export function openSpeech(kept: unknown, model: Model): Speech | undefined {
  const { resource: name, moment, parameters, variables } = KeptSpeech.parse(kept)
  const resource = name === null ? undefined : model.resources.get(name)
  if (name !== null && resource === undefined) return undefined
  return {
    ...(resource && { resource }),
    moment,
    parameters: new Map(parameters),
    variables: new Map(variables),
  }
}
