import { domainAction, type DomainAction, type RecordInput, type Resource } from '@svc/domain/contract'
import { type Caller, errors } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { enter } from '../log.ts'
import type { Setting } from '../setting.ts'
import { gather, unknown } from '../subjects/gather.ts'
import { type Asked, subjectOf, whoIs } from '../subjects/who.ts'
import { bodyOf, fault, reasonOf, refuse } from './body.ts'

const Body = z.strictObject({
  resource: z.string(),
  recordId: z.union([z.string(), z.int()]),
  corrections: z.record(z.string(), z.json()),
  reason: z.string().optional(),
})

/** Corrects personal fields of one of a person's records. */
export const rectifyAction = (setting: Setting): DomainAction =>
  domainAction<RecordInput>({
    name: 'rectify',
    summary: "Correct a person's data",
    access: 'record',
    routes: ['PATCH /privacy/subject/:identifier/rectify'],
    async handle({ path, data: sent }, call, data) {
      const asked = await whoIs(path?.['identifier'] ?? '', 'rectify', call, data, setting)
      const body = bodyOf(Body, sent)
      const reason = reasonOf(body.reason)
      const resource = setting.privacy.model.resources.get(body.resource)
      if (resource === undefined)
        return refuse([fault('resource', 'enum', `There is no resource '${body.resource.slice(0, 60)}'`)])
      const corrections: Row = body.corrections
      const names = Object.keys(corrections)
      checkPersonal(names, resource, setting)
      await data.write(call, async (writes) => {
        const now: Asked = {
          ...asked,
          ...(await subjectOf(asked.identifier, writes, asked.secret, setting)),
        }
        const { records } = await gather(now, writes, setting)
        if (records.size === 0) throw unknown()
        const row = records.get(resource)?.get(String(body.recordId))
        if (row === undefined)
          throw errors.NOT_FOUND({ message: `The person has no such record of ${resource.name}` })
        const key = row[resource.key.name]!
        const as = withAllRights(call.caller)
        // By this caller consents and restrictions are told that it is the same person.
        setting.exempt.add(as)
        await writes.record({ kind: 'update', resource, key, values: corrections, as, corrects: true })
        const details = { resource: resource.name, fields: names }
        await enter(
          { action: 'rectify', subjectHash: now.hash, caller: call.caller, reason, details },
          setting,
          writes,
        )
      })
      return { resource: resource.name, recordId: String(body.recordId), corrected: names }
    },
  })

/** The permission of privacy stands for those of the record; ledgers name who it was. */
const withAllRights = (caller: Caller): Caller => ({ ...caller, kind: 'system' })

function checkPersonal(names: readonly string[], resource: Resource, { privacy }: Setting): void {
  const known = new Set(privacy.personalOf(resource).map(({ field }) => field.name))
  const others = names.filter((name) => !known.has(name))
  if (others.length > 0)
    refuse(
      others.map((name) =>
        fault(
          `corrections.${name}`,
          'unknown',
          `'${resource.name}' has no personal field '${name.slice(0, 60)}'`,
        ),
      ),
    )
  if (names.length === 0) refuse([fault('corrections', 'required', 'Say what is to be corrected')])
}
