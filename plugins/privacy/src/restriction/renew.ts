import type { Data } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { fillStanding } from '../consent/standing.ts'
import type { SubjectKey } from '../subjects/key.ts'
import type { Tables } from '../tables.ts'
import { allRestrictions, settleRecords } from './kept.ts'
import { isAnyRestricted, lastDefinition, noteDefinition, settleState } from './state.ts'

interface Around {
  readonly privacy: Privacy
  readonly tables: Tables
  readonly key: SubjectKey
  readonly newId: () => string
}

/** Finds the records of everybody who is restricted anew: by another definition they may be others. */
export async function renewRestrictions(
  { privacy, tables, key, newId }: Around,
  writes: Transaction,
): Promise<void> {
  await settleState(tables, writes)
  await isAnyRestricted(tables, writes, true)
  await fillStanding(tables, writes)
  const secret = await key.inside(writes)
  for (const { subjectHash } of await allRestrictions(tables, writes))
    await settleRecords(subjectHash, { mark: newId() }, { privacy, tables, secret, reader: writes })
  await noteDefinition(privacy.model.checksum, tables, writes)
}

/** The same once for each definition, as it comes into force. */
export async function openRestrictions(around: Around, data: Data): Promise<void> {
  const definition = await lastDefinition(around.tables, data.reader)
  if (definition === around.privacy.model.checksum) return
  await data.write({ caller: SYSTEM }, (writes) => renewRestrictions(around, writes), { many: true })
}
