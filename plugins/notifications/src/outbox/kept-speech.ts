import { keepShape, type Model, openShape, type Speech } from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import { z } from 'zod'

const KeptNames = z.array(z.tuple([z.string(), z.unknown()]))
const KeptSpeech = z.object({
  resource: z.string().nullable(),
  moment: z.enum(['read', 'write']),
  names: KeptNames,
  parameters: KeptNames,
  variables: KeptNames,
})

/** What texts may name, as JSON keeps it. */
export const keepSpeech = ({ resource, moment, names, parameters, variables }: Speech): Value => ({
  resource: resource?.name ?? null,
  moment,
  names: keepNames(names),
  parameters: keepNames(parameters),
  variables: keepNames(variables),
})

const keepNames = (names: Speech['variables'] = new Map()): Value =>
  [...names].map(([name, known]) => [name, keepShape(known)])

/** The same against a model; undefined where its resource is not there any more. */
export function openSpeech(kept: unknown, model: Model): Speech | undefined {
  const { resource: name, moment, names, parameters, variables } = KeptSpeech.parse(kept)
  const resource = name === null ? undefined : model.resources.get(name)
  if (name !== null && resource === undefined) return undefined
  return {
    ...(resource && { resource }),
    moment,
    names: openNames(names, model),
    parameters: openNames(parameters, model),
    variables: openNames(variables, model),
  }
}

const openNames = (kept: z.output<typeof KeptNames>, model: Model): NonNullable<Speech['variables']> =>
  new Map(kept.map(([name, shape]) => [name, openShape(shape, model)]))
