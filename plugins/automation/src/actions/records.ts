import { SYSTEM } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { assertNotPassedOver } from '../passing.ts'
import { checkTransition, resourceNamed } from '../triggers/names.ts'
import type { ActionPlace, ActionResult, CompiledAction } from './action.ts'
import { meantRecord } from './at-hand.ts'
import type { ActionDefinition } from './definition.ts'
import { compileInput } from './input.ts'

type Compile = (written: ActionDefinition, place: ActionPlace) => Omit<CompiledAction, 'kind'> | undefined

/** A new record of `target`. */
const create: Compile = ({ target = '', input = {} }, place) => {
  const resource = resourceNamed(target, [...place.path, 'target'], place.site)
  const values = resource && compileInput(input, resource, place)
  return (
    values && {
      target: resource,
      expressions: values.expressions,
      async perform({ writes, context }) {
        const record = await writes.record({
          kind: 'create',
          resource,
          values: values.evaluate(context),
          as: SYSTEM,
        })
        return written(record, record?.[resource.key.name] ?? null)
      },
    }
  )
}

/** New values for a record. */
const update: Compile = (definition, place) => changing(definition, place, { kind: 'update' })

/** A step from one state to another, with new values where some are given. */
const transition: Compile = (definition, place) => {
  const { transition: name = '' } = definition
  const change = changing(definition, place, { kind: 'transition', name })
  const resource = change?.target
  const isKnown = resource && checkTransition(name, [...place.path, 'transition'], resource, place.site)
  return isKnown ? change : undefined
}

/** A write of `how` with new values to the record that is meant. */
function changing(
  definition: ActionDefinition,
  place: ActionPlace,
  how: { readonly kind: 'update' } | { readonly kind: 'transition'; readonly name: string },
): ReturnType<Compile> {
  const meant = meantRecord(definition, place)
  const values = meant && compileInput(definition.input ?? {}, meant.resource, place)
  return (
    values && {
      target: meant.resource,
      expressions: [...meant.expressions, ...values.expressions],
      async perform(performing) {
        const { writes, context } = performing
        const [key, { resource }] = [meant.key(performing), meant]
        await assertNotPassedOver(resource, key, writes)
        const given = values.evaluate(context)
        return written(await writes.record({ ...how, resource, key, values: given, as: SYSTEM }), key)
      },
    }
  )
}

/** What DELETE does. */
const remove: Compile = (definition, place) => {
  const meant = meantRecord(definition, place)
  return (
    meant && {
      target: meant.resource,
      expressions: meant.expressions,
      async perform(performing) {
        const key = meant.key(performing)
        await assertNotPassedOver(meant.resource, key, performing.writes)
        await performing.writes.record({ kind: 'delete', resource: meant.resource, key, as: SYSTEM })
        return { recordId: key }
      },
    }
  )
}

/** The same of a resource whose records can be restored. */
const archive: Compile = (definition, place) => {
  const removal = remove(definition, place)
  const resource = removal?.target
  if (resource === undefined || resource.features.softDelete) return removal
  place.site.problem(
    [...place.path, 'action'],
    `'archive' needs 'softDelete' of '${resource.name}'`,
    "Say 'softDelete: true' under its 'features', or write 'action: delete'",
  )
  return undefined
}

const noop: Compile = () => ({
  target: undefined,
  expressions: [],
  perform: () => Promise.resolve({}),
})

const written = (record: Row | undefined, key: ActionResult['recordId']): ActionResult =>
  key === undefined ? { record } : { record, recordId: key }

/** What the engine itself can do to records, and nothing at all. */
export const RECORD_ACTIONS = { create, update, transition, delete: remove, archive, noop } as const
