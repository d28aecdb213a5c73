import { ledgerWindow, type Window } from '@svc/automation/contract'
import type { DomainAction, RecordInput } from '@svc/domain/contract'
import type { Call, Caller } from '@svc/kernel'
import type { Row, Transaction } from '@svc/store/contract'
import { z } from 'zod'
import type { Setting } from './setting.ts'
import { findSubject } from './subjects/find.ts'
import { namesOf } from './subjects/names.ts'
import { ENTRY } from './tables.ts'

/** What is put on record. */
export const LOGGED = [
  'access',
  'export',
  'erase',
  'rectify',
  'restrict',
  'unrestrict',
  'consent',
  'sweep',
] as const
export type Logged = (typeof LOGGED)[number]

export interface Entered {
  readonly action: Logged
  readonly subjectHash: string | null
  readonly caller: Caller
  readonly reason?: string | undefined
  readonly outcome?: 'done' | 'dryRun' | 'blocked'
  /** Numbers and names of the definition; never a value of a person. */
  readonly details?: Row
}

/** Puts on record what was asked, in the transaction that does it; answers the entry's id. */
export async function enter(
  { action, subjectHash, caller, reason, outcome = 'done', details = {} }: Entered,
  { tables, env, newId }: Setting,
  transaction: Transaction,
): Promise<{ readonly id: string; readonly at: string }> {
  const id = newId()
  const at = new Date(env.now()).toISOString()
  await transaction.insert({
    table: tables.log,
    values: {
      id,
      action,
      subject_hash: subjectHash,
      actor_id: caller.id,
      actor_name: caller.username,
      reason: reason ?? null,
      outcome,
      details,
      at,
      scrubbed_at: null,
    },
  })
  return { id, at }
}

const Entry = z.object({
  id: z.string(),
  action: z.enum(LOGGED).describe('What was asked.'),
  subjectHash: z.string().nullable().describe('Stands for the person; null where it is about nobody alone.'),
  actor: z.object({ id: z.string().nullable(), username: z.string().nullable() }).describe('Who asked.'),
  reason: z.string().nullable(),
  outcome: z.enum(['done', 'dryRun', 'blocked']),
  details: z.looseObject({}).describe('Numbers, and names of the definition.'),
  at: z.string().describe('When, in UTC.'),
  scrubbedAt: z.string().nullable().describe('When what was erased was gone from the files of the database.'),
})

export const presentEntry = (row: Row): Row => ({
  id: row['id'] ?? null,
  action: row['action'] ?? null,
  subjectHash: row['subject_hash'] ?? null,
  actor: { id: row['actor_id'] ?? null, username: row['actor_name'] ?? null },
  reason: row['reason'] ?? null,
  outcome: row['outcome'] ?? null,
  details: row['details'] ?? {},
  at: row['at'] ?? null,
  scrubbedAt: row['scrubbed_at'] ?? null,
})

/** The list of the log. `identifier` is looked for by all that stands for whom it names; one of several people is CONFLICT. */
export function logWindow(setting: Setting): Window {
  const { tables, privacy } = setting
  const window = ledgerWindow({
    ledger: {
      table: tables.log,
      id: ENTRY.id,
      at: ENTRY.at,
      filters: {
        action: { column: ENTRY.action, description: 'Only what was asked so.', values: LOGGED },
        identifier: {
          column: ENTRY.subjectHash,
          description:
            'Only what is about the person who has this identifier, under whichever of theirs it was asked.',
          isAmong: true,
        },
      },
      entry: Entry,
      present: presentEntry,
    },
    schema: 'PrivacyLogEntry',
    words: ['an entry of the log of personal data', 'entries of the log of personal data'],
    list: { name: 'log', path: '/privacy/log' },
    readers: privacy.permissions.log.filter((role) => role !== 'subject'),
  })
  return { ...window, actions: window.actions.map((action) => hashing(action, setting)) }
}

/** The action with what stands in the log for the person whom the identifier of its query names. */
const hashing = (action: DomainAction, { key, privacy, tables }: Setting): DomainAction => ({
  ...action,
  async handle(input, call: Call, data) {
    const asked = input as RecordInput
    const { identifier, ...query } = asked.query ?? {}
    if (identifier === undefined) return action.handle(asked, call, data)
    const secret = await key.read(data.reader)
    const finding = secret && { privacy, tables, secret, reader: data.reader }
    const hashes = finding ? await namesOf(identifier, await findSubject(identifier, finding), finding) : []
    return action.handle({ ...asked, query: { ...query, identifier: hashes.join() } }, call, data)
  },
})
