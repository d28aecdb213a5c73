import {
  domainAction,
  type DomainAction,
  type RecordInput,
  type Resource,
  type Writes,
} from '@svc/domain/contract'
import { type Caller, errors } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { rankOf } from '../compile/names.ts'
import { enter } from '../log.ts'
import type { Setting } from '../setting.ts'
import { moveSubject } from '../follow.ts'
import { gather, unknown } from '../subjects/gather.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import { findByHashes, type Finding, holdingsOfRecords } from '../subjects/find.ts'
import { type Asked, findingOf, subjectOf, whoIs } from '../subjects/who.ts'
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
        setting.exempt.add(as)
        await writes.record({ kind: 'update', resource, key, values: corrections, as, corrects: true })
        await followIdentifier(row, corrections, resource, now, setting, writes)
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

/** Consents and a restriction follow a person whose first identifier was wrong. */
async function followIdentifier(
  row: Row,
  corrections: Row,
  resource: Resource,
  { hash, secret }: Asked,
  setting: Setting,
  writes: Writes,
): Promise<void> {
  const { privacy } = setting
  const primary = privacy.personal.find(
    (one) => one.resource === resource && one.identifies && one.field.name === privacy.primary,
  )
  if (primary === undefined || !Object.hasOwn(corrections, primary.field.name)) return
  const [before, after] = [row[primary.field.name] ?? null, corrections[primary.field.name] ?? null]
  if (before === null || hashOf(canonical(primary.field, before), secret) !== hash) return
  const to =
    after === null
      ? await nextName(row, resource, hash, findingOf(writes, secret, setting))
      : hashOf(canonical(primary.field, after), secret)
  if (to !== undefined) await moveSubject(hash, to, secret, setting, writes)
}

/** By what a person is known from then on whose first identifier was none of theirs; undefined where it still is, or nothing is left. */
async function nextName(
  row: Row,
  resource: Resource,
  hash: string,
  finding: Finding,
): Promise<string | undefined> {
  if (((await findByHashes([hash], finding))?.roots ?? []).length > 0) return undefined
  const rank = rankOf(finding.privacy)
  const lines = await holdingsOfRecords(resource, [String(row[resource.key.name])], finding)
  const [next] = lines
    .filter(({ isPast }) => !isPast)
    .toSorted((one, other) => rank.of(one.field) - rank.of(other.field))
  return next?.hash
}
