import type { Resource, Transition } from '@svc/domain/contract'
import type { Entry } from '../catalog.ts'
import { neededExample } from '../examples/bodies.ts'
import { answering, jsonBody, type Parts, refer, tagged } from '../parts.ts'
import { codes, paragraphs, shownText } from '../text.ts'
import { shared } from './listing.ts'
import type { DocumentOperation, RecordOperation } from './operation.ts'

export const create: DocumentOperation = ({ entry: { names, resource } }) => ({
  parameters: shared('IdempotencyKeyParam'),
  body: jsonBody(refer('schemas', names.input)),
  success: tagged(answering(refer('schemas', names.record), `The new ${resource.name}`, 201)),
  failures: ['Conflict', 'ValidationError'],
})

export const update: DocumentOperation = ({ entry }) => ({
  description: 'Fields that are absent stay as they are.',
  parameters: shared('IfMatchParam'),
  body: jsonBody(refer('schemas', entry.names.patch)),
  ...changed(entry),
})

export const put: DocumentOperation = ({ entry }) => ({
  description: 'Fields that are absent go back to their default, or to null.',
  parameters: shared('IfMatchParam'),
  body: jsonBody(refer('schemas', entry.names.input)),
  ...changed(entry),
})

export const remove: DocumentOperation = ({ entry: { resource } }) => ({
  ...(resource.features.softDelete && { description: 'The record is kept aside and can be restored.' }),
  parameters: shared('IfMatchParam'),
  success: { status: 204, description: 'It is gone' },
  failures: ['NotFound', 'Conflict', 'PreconditionFailed'],
})

export const restore: DocumentOperation = ({ entry }) => ({
  description: 'Brings a deleted record back.',
  parameters: shared('IfMatchParam', 'IdempotencyKeyParam'),
  ...changed(entry),
})

/** The transition that `/orders/:id/transitions/pay` stands for. */
export const transitionOf = ({ path }: Pick<RecordOperation, 'path'>): string | undefined =>
  /\/transitions\/([^/]+)$/.exec(path)?.[1]

/** A transition of the resource's state machine, or the address that takes the name of any of them. */
export const transition: DocumentOperation = ({ entry, path }) => {
  const name = transitionOf({ path }) ?? ''
  if (name.startsWith(':')) return anyTransition(entry, name.slice(1))
  const needed = requiredFields(entry.resource, name)
  const example = neededExample(needed, entry.resource, entry.model)
  return {
    description: paragraphs(
      moves(entry.resource, name),
      needed.size > 0 && `Has to be there, stored or sent: ${codes(needed)}.`,
    ),
    parameters: shared('IfMatchParam', 'IdempotencyKeyParam'),
    body: { ...jsonBody(refer('schemas', entry.names.patch), example), required: false },
    ...changed(entry),
  }
}

function anyTransition(entry: Entry, parameter: string): Parts {
  const all = entry.resource.stateMachine?.transitions ?? []
  return {
    description: 'Takes any transition by its name; each also has an address of its own.',
    path: { [parameter]: { type: 'string', ...(all.length > 0 && { enum: [...all] }) } },
    parameters: shared('IfMatchParam', 'IdempotencyKeyParam'),
    body: { ...jsonBody(refer('schemas', entry.names.patch), {}), required: false },
    ...changed(entry),
  }
}

/** A custom operation: it sets fields and answers what its script says, or the record. */
export const custom: DocumentOperation = ({ entry, operation, method }) => {
  const declared = entry.resource.api.customOperations.find(({ name }) => name === operation)
  const sets = [...(declared?.fields.keys() ?? [])]
  const description = paragraphs(
    declared?.description,
    sets.length > 0 && `Sets ${codes(sets)}; what you send for them does not count.`,
  )
  return {
    description,
    ...(method !== 'GET' && {
      parameters: shared('IfMatchParam', ...(method === 'POST' ? (['IdempotencyKeyParam'] as const) : [])),
      body: { ...jsonBody(refer('schemas', entry.names.patch), {}), required: false },
    }),
    success: answering(
      {},
      `The ${entry.resource.name} as \`${entry.names.record}\`, or what a script answers in its place`,
    ),
    failures: ['NotFound', 'Conflict', 'PreconditionFailed', 'ValidationError'],
  }
}

const changed = ({ names, resource }: Entry): Pick<Parts, 'success' | 'failures'> => ({
  success: tagged(answering(refer('schemas', names.record), `The ${resource.name} as it is now`)),
  failures: ['NotFound', 'Conflict', 'PreconditionFailed', 'ValidationError'],
})

/** Every `from → to` of a transition. */
function moves(resource: Resource, name: string): string {
  return found(resource, name)
    .map(({ from, to, description, label }) => {
      const said = description ?? shownText(label, resource)
      return `- \`${from}\` → \`${to}\`${said === undefined ? '' : `: ${said}`}`
    })
    .join('\n')
}

const requiredFields = (resource: Resource, name: string): ReadonlySet<string> =>
  new Set(found(resource, name).flatMap(({ requiredFields }) => requiredFields))

/** The transitions of one name, each with the state that it leaves. */
const found = (
  { stateMachine }: Resource,
  name: string,
): readonly (Transition & { readonly from: string })[] =>
  [...(stateMachine?.states.values() ?? [])].flatMap((state) => {
    const transition = state.transitions.get(name)
    return transition === undefined ? [] : { ...transition, from: state.name }
  })
