import { domainAction, type DomainAction, type RecordInput } from '@svc/domain/contract'
import { errors, Reply } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Purpose } from '../compile/consent.ts'
import { consentOf, consentsOf } from '../consents.ts'
import { beginStanding, endStanding } from '../consent/standing.ts'
import { enter } from '../log.ts'
import type { Setting } from '../setting.ts'
import { onceAbout, subjectOf, whoIs } from '../subjects/who.ts'
import { bodyOf, fault, reasonOf, refuse } from './body.ts'

const MAX_EVIDENCE = 2000

const Evidence = z.union([z.string(), z.record(z.string(), z.json())])
const Grant = z.strictObject({
  purpose: z.string(),
  grantedBy: z.string().min(1).max(200).default('subject'),
  evidence: Evidence.optional(),
})
const Withdrawal = z.strictObject({ purpose: z.string(), reason: z.string().optional() })

/** What somebody has consented to, purpose by purpose. */
export const consentAction = (setting: Setting): DomainAction =>
  domainAction<RecordInput>({
    name: 'consent',
    summary: 'What a person has consented to',
    access: 'record',
    routes: ['GET /privacy/subject/:identifier/consent'],
    async handle({ path }, call, data) {
      const asked = await whoIs(path?.['identifier'] ?? '', 'consent', call, data, setting)
      const entries = await consentsOf(asked.hash, setting.tables, data.reader)
      return { items: [...setting.privacy.purposes.values()].map((purpose) => statusOf(purpose, entries)) }
    },
  })

/** The last word on a purpose; one that is required is in force whatever that is. */
function statusOf({ purpose, required }: Purpose, entries: readonly Row[]): Row {
  const last = entries.findLast((entry) => entry['purpose'] === purpose)
  const status = required ? 'granted' : (last?.['status'] ?? null)
  return { purpose, required, status, since: last?.['at'] ?? null }
}

export const grantAction = (setting: Setting): DomainAction =>
  consentingAction('grant', 'Put on record that a person consents', setting, (sent) => {
    const { purpose, grantedBy, evidence = null } = bodyOf(Grant, sent)
    const known = purposeOf(purpose, setting)
    const length = typeof evidence === 'string' ? evidence.length : JSON.stringify(evidence).length
    if (length > MAX_EVIDENCE)
      refuse([fault('evidence', 'maxLength', `Must have at most ${MAX_EVIDENCE} characters`)])
    return { purpose: known, status: 'granted', grantedBy, evidence, reason: null }
  })

export const withdrawAction = (setting: Setting): DomainAction =>
  consentingAction('withdraw', 'Put on record that a person consents no more', setting, (sent) => {
    const { purpose, reason } = bodyOf(Withdrawal, sent)
    const known = purposeOf(purpose, setting)
    return {
      purpose: known,
      status: 'withdrawn',
      grantedBy: null,
      evidence: null,
      reason: reasonOf(reason) ?? null,
    }
  })

interface Said {
  readonly purpose: Purpose
  readonly status: 'granted' | 'withdrawn'
  readonly grantedBy: string | null
  readonly evidence: Value
  readonly reason: string | null
}

const consentingAction = (
  name: 'grant' | 'withdraw',
  summary: string,
  setting: Setting,
  read: (sent: unknown) => Said,
): DomainAction =>
  domainAction<RecordInput>({
    name: `consent-${name}`,
    summary,
    access: 'record',
    routes: [`POST /privacy/subject/:identifier/consent/${name}`],
    notes: { status: 201 },
    async handle({ path, data: sent }, call, data) {
      const asked = await whoIs(path?.['identifier'] ?? '', 'consent', call, data, setting)
      const said = read(sent)
      const once = onceAbout(asked, `consent ${name}`, sent, call, setting)
      // The id alone is kept for an Idempotency-Key: by whom and by what it was given goes with an erase.
      const id = await data.write(
        call,
        async (writes) => {
          const { hash } = await subjectOf(asked.identifier, writes, asked.secret, setting)
          const { purpose, withdrawable } = said.purpose
          if (said.status === 'granted') await beginStanding(hash, purpose, setting.tables, writes)
          else if (!withdrawable)
            throw errors.CONFLICT({ message: `Consent to '${purpose}' cannot be withdrawn` })
          else if (!(await endStanding(hash, purpose, setting.tables, writes)))
            throw errors.CONFLICT({ message: `Consent to '${purpose}' is not in force` })
          // Entries are numbered in the order in which the last word on a purpose was taken.
          const made = setting.newId()
          const row: Row = {
            id: made,
            subject_hash: hash,
            purpose,
            status: said.status,
            granted_by: said.grantedBy,
            evidence: said.evidence,
            reason: said.reason,
            at: new Date(setting.env.now()).toISOString(),
            actor_id: call.caller.id,
            actor_name: call.caller.username,
          }
          await writes.insert({ table: setting.tables.consents, values: row })
          const details = { purpose, status: said.status }
          const reason = said.reason ?? undefined
          await enter(
            { action: 'consent', subjectHash: hash, caller: call.caller, reason, details },
            setting,
            writes,
          )
          return made
        },
        once,
      )
      return Reply.created(await consentOf(id, setting.tables, data.reader))
    },
  })

function purposeOf(name: string, { privacy }: Setting): Purpose {
  const known = privacy.purposes.get(name)
  return (
    known ?? refuse([fault('purpose', 'enum', `Must be one of ${[...privacy.purposes.keys()].join(', ')}`)])
  )
}
