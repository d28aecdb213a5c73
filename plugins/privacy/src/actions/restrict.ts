import { domainAction, type DomainAction, type RecordInput } from '@svc/domain/contract'
import { z } from 'zod'
import { enter } from '../log.ts'
import { liftRestriction, putRestriction, settleRecords } from '../restriction/kept.ts'
import { isAnyRestricted } from '../restriction/state.ts'
import type { Setting } from '../setting.ts'
import { unknown } from '../subjects/gather.ts'
import { consentsOf } from '../consents.ts'
import { gather } from '../subjects/gather.ts'
import { findingOf, onceAbout, subjectOf, whoIs } from '../subjects/who.ts'
import { type Operation, OPERATIONS } from '../tables.ts'
import { bodyOf, fault, reasonOf, refuse } from './body.ts'

const Restriction = z.strictObject({
  reason: z.string().optional(),
  restrictedOperations: z.array(z.string()).optional(),
  allowedOperations: z.array(z.string()).default([]),
})
const Lifting = z.strictObject({ reason: z.string().optional() })

/** Keeps everybody from what is not allowed with a person's records. */
export const restrictAction = (setting: Setting): DomainAction =>
  domainAction<RecordInput>({
    name: 'restrict',
    summary: "Restrict what is done with a person's records",
    access: 'record',
    routes: ['POST /privacy/subject/:identifier/restrict'],
    async handle({ path, data: sent }, call, data) {
      const asked = await whoIs(path?.['identifier'] ?? '', 'restrict', call, data, setting)
      const body = bodyOf(Restriction, sent)
      const reason = reasonOf(body.reason)
      const operations = operationsOf(body)
      const { tables, env, newId } = setting
      const restrictedOperations = OPERATIONS.filter((one) => operations.has(one))
      return data.write(
        call,
        async (writes) => {
          await isAnyRestricted(tables, writes, true)
          const now = { ...asked, ...(await subjectOf(asked.identifier, writes, asked.secret, setting)) }
          if (now.subject === undefined && !(await isKnown(now, writes, setting))) throw unknown()
          const since = new Date(env.now()).toISOString()
          const { hash: subjectHash } = now
          const mark = newId()
          await putRestriction({ subjectHash, operations, since }, tables, writes)
          const finding = { ...findingOf(writes, asked.secret, setting), reader: writes }
          const records = await settleRecords(subjectHash, { mark, account: asked.account?.id }, finding)
          const details = { restrictedOperations, records }
          await enter(
            { action: 'restrict', subjectHash, caller: call.caller, reason, details },
            setting,
            writes,
          )
          return { restricted: true, restrictedOperations, since, records }
        },
        { many: true, ...onceAbout(asked, 'restrict', sent, call, setting) },
      )
    },
  })

/** Ends a restriction. */
export const unrestrictAction = (setting: Setting): DomainAction =>
  domainAction<RecordInput>({
    name: 'unrestrict',
    summary: "Lift the restriction of a person's records",
    access: 'record',
    routes: ['POST /privacy/subject/:identifier/unrestrict'],
    async handle({ path, data: sent }, call, data) {
      const asked = await whoIs(path?.['identifier'] ?? '', 'restrict', call, data, setting)
      const reason = reasonOf(bodyOf(Lifting, sent).reason)
      const { tables, newId } = setting
      return data.write(
        call,
        async (writes) => {
          const { hash } = await subjectOf(asked.identifier, writes, asked.secret, setting)
          const lifted = await liftRestriction(hash, newId(), tables, writes)
          await enter(
            {
              action: 'unrestrict',
              subjectHash: hash,
              caller: call.caller,
              reason,
              details: { lifted },
            },
            setting,
            writes,
          )
          return { restricted: false }
        },
        onceAbout(asked, 'unrestrict', sent, call, setting),
      )
    },
  })

/** Whether records lead to the account alone, or there is a consent and no record yet. */
async function isKnown(
  asked: Parameters<typeof gather>[0],
  reader: Parameters<typeof gather>[1],
  setting: Setting,
): Promise<boolean> {
  const { records } = await gather(asked, reader, setting)
  return records.size > 0 || (await consentsOf(asked.hash, setting.tables, reader)).length > 0
}

const isOperation = (name: string): name is Operation => OPERATIONS.some((one) => one === name)

/** What is kept from everybody: all but reading unless said, less what is allowed. */
function operationsOf({
  restrictedOperations = OPERATIONS.filter((one) => one !== 'get' && one !== 'list'),
  allowedOperations,
}: z.output<typeof Restriction>): ReadonlySet<Operation> {
  const faults = Object.entries({ restrictedOperations, allowedOperations }).flatMap(([field, names]) =>
    names
      .filter((name) => !isOperation(name))
      .map((name) => fault(field, 'enum', `'${name.slice(0, 60)}' is none of ${OPERATIONS.join(', ')}`)),
  )
  if (faults.length > 0) refuse(faults)
  const allowed = new Set(allowedOperations)
  return new Set(restrictedOperations.filter(isOperation).filter((name) => !allowed.has(name)))
}
