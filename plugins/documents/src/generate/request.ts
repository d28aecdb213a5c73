import { assertNotPassedOver } from '@svc/automation/contract'
import {
  type Asker,
  type Data,
  evaluationOfFacts,
  type Locale,
  type RecordInput,
  type Resource,
} from '@svc/domain/contract'
import { type Call, type Caller, errors, SYSTEM } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { localeOf } from '../compile/layout.ts'
import { readParameters, refuseFaults } from '../compile/parameters.ts'
import type { Template } from '../compile/template.ts'
import { isPermitted, leaveOf } from '../permission.ts'
import type { Promised } from '../promises/promises.ts'
import type { Means } from '../means.ts'
import type { Request } from './gather.ts'
import { type ReadStored, storedBy } from './stored.ts'

/** What was asked for, once nothing stands in its way. */
export interface Admitted {
  readonly request: Request
  readonly locale: Locale
}

type Sent = Readonly<Record<string, unknown>>

/** Reads and judges what somebody asks of a template; `read` reads the record that it is about. */
export async function admit(
  template: Template,
  { data: body }: RecordInput,
  call: Call,
  data: Data,
  { env, call: callAsSystem }: Means,
  read: ReadStored = storedBy(data.reader),
): Promise<Admitted> {
  const { caller } = call
  const now = () => env.now()
  const leave = leaveOf(template.generate, caller)
  if (leave === 'no') throw refused(template, caller)
  const sent = bodyOf(body)
  const { resource } = template.data
  const { values, faults } = readParameters(sent, template.parameters, caller, now)
  const { recordId, locale } = sent
  refuseFaults([...faults, ...recordFaults(recordId, resource), ...localeFaults(locale)])
  const record =
    resource &&
    (await storedRecord(
      resource,
      recordId as Value,
      { caller, ...(call.request && { request: call.request }) },
      data,
      read,
    ))
  const about = { resource, record, owner: caller.id }
  if (!(await isPermitted(template.generate, caller, about, data, now))) throw refused(template, caller)
  await assertCondition(template, record, caller, data, now)
  const { isSystem } = template
  const header = typeof locale === 'string' ? locale : call.request?.meta('accept-language')
  return {
    locale: localeOf(template.body, data.model, data.model.localizer.locale(header)),
    request: {
      template,
      record,
      parameters: values,
      asker: askerOf(call),
      as: isSystem ? SYSTEM : caller,
      callAs: isSystem ? callAsSystem : call.call,
      data,
      now,
    },
  }
}

/** A document that was promised: the record is the one that was kept, and all else is read as it is now, by the system. */
export function requestOf(
  template: Template,
  { id, record, resource, parameters }: Promised,
  data: Data,
  { env, call }: Means,
): Admitted {
  const {
    data: { resource: about },
    body,
  } = template
  if ((about?.name ?? null) !== resource)
    throw errors.CONFLICT({ message: `The template '${template.name}' is about other records by now` })
  if (about !== undefined && record === null)
    throw errors.CONFLICT({ message: 'The record as it was cannot be opened any more' })
  const now = () => env.now()
  const { values, faults } = readParameters(parameters, template.parameters, SYSTEM, now)
  refuseFaults(faults)
  return {
    locale: localeOf(body, data.model, data.model.localizer.locale(undefined)),
    request: {
      template,
      record: record ?? undefined,
      parameters: values,
      asker: { caller: SYSTEM, requestId: id },
      as: SYSTEM,
      callAs: call,
      data,
      now,
    },
  }
}

const askerOf = ({ caller, request, requestId, signal, depth, warn }: Call): Asker => ({
  caller,
  requestId,
  signal,
  depth,
  warn,
  ...(request && { request }),
})

const refused = ({ name }: Template, { kind }: Caller) =>
  kind === 'anonymous'
    ? errors.UNAUTHORIZED()
    : errors.FORBIDDEN({ message: `You may not generate the template '${name}'` })

function bodyOf(body: unknown): Sent {
  if (body === undefined || body === null) return {}
  if (typeof body === 'object' && !Array.isArray(body)) return body as Sent
  throw errors.VALIDATION_ERROR({
    errors: [{ field: '', rule: 'type', message: 'The body must be a JSON object' }],
  })
}

function recordFaults(recordId: unknown, resource: Resource | undefined) {
  const fault = (rule: string, message: string) => [{ field: 'recordId', rule, message }]
  const isMissing = recordId === undefined || recordId === null
  if (resource === undefined) return isMissing ? [] : fault('unknown', 'This template is about no record')
  if (isMissing) return fault('required', `'recordId' is required: the key of a ${resource.name}`)
  const isKey = typeof recordId === 'string' || typeof recordId === 'number'
  return isKey ? [] : fault('type', "'recordId' must be the key of a record")
}

function localeFaults(locale: unknown) {
  const isRight =
    locale === undefined || locale === null || (typeof locale === 'string' && LOCALE.test(locale))
  return isRight
    ? []
    : [{ field: 'locale', rule: 'format', message: "'locale' must be a language tag, as in en" }]
}

const LOCALE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,7}$/

/** A record that its asker may get, as it is stored. Throws NOT_FOUND, UNAUTHORIZED and FORBIDDEN. */
async function storedRecord(
  resource: Resource,
  id: Value,
  asker: Asker,
  data: Data,
  read: ReadStored,
): Promise<Row> {
  const { key } = resource
  const parsed = typeof id === 'string' ? key.compiled.parseText(id) : id
  const seen = await data.get(resource, parsed ?? id, asker)
  const value = (seen[key.name] ?? parsed)!
  const row = await read(resource, value)
  if (row === undefined) throw errors.NOT_FOUND({ message: `There is no such ${resource.name} any more` })
  await assertNotPassedOver(resource, value, data.reader)
  return row
}

async function assertCondition(
  { condition, data: { resource }, name }: Template,
  record: Row | undefined,
  caller: Caller,
  data: Data,
  now: () => number,
): Promise<void> {
  if (condition === undefined) return
  const facts = { resource, record, user: caller, now }
  if (condition.holds(await evaluationOfFacts(facts, [condition], data.reader))) return
  throw errors.CONFLICT({ message: `The condition of the template '${name}' does not hold for this record` })
}
