import type { Reader } from '@svc/store/contract'
import { PSEUDONYM, type Tables } from '../tables.ts'
import { findByHashes, type Finding, isOfSeveral, type Subject } from './find.ts'
import { formsOf, hashOf } from './identifier.ts'

/**
 * All that stands for whom an identifier names: the identifier itself, whatever is this person's and nobody else's, and what somebody who
 * was pseudonymized was known by. `subject` is whom it leads to, if anybody.
 */
export async function namesOf(
  identifier: string,
  subject: Subject | undefined,
  finding: Finding,
): Promise<readonly string[]> {
  const { secret, tables, reader } = finding
  const names = new Set(formsOf(identifier).map((form) => hashOf(form, secret)))
  if (subject !== undefined) {
    names.add(subject.hash)
    for (const hash of subject.own)
      if (!names.has(hash) && (await isOfOne(hash, subject.hash, finding))) names.add(hash)
  }
  return [...new Set([...names, ...(await pseudonymized([...names], tables, reader))])]
}

/** Whether an identifier leads to the person whom `first` stands for, and to nobody else. */
export async function isOfOne(hash: string, first: string, finding: Finding): Promise<boolean> {
  try {
    return (await findByHashes([hash], finding))?.hash === first
  } catch (error) {
    if (isOfSeveral(error)) return false
    throw error
  }
}

/** What else stands beside the pseudonyms of those whom these stand for. */
async function pseudonymized(
  names: readonly string[],
  { pseudonyms: table }: Tables,
  reader: Reader,
): Promise<readonly string[]> {
  const given = await reader.select({
    table,
    columns: [PSEUDONYM.pseudonym],
    where: { op: 'in', column: PSEUDONYM.subjectHash, values: names },
    order: [],
  })
  if (given.length === 0) return []
  const values = [...new Set(given.map((row) => String(row[PSEUDONYM.pseudonym.name])))]
  const rows = await reader.select({
    table,
    columns: [PSEUDONYM.subjectHash],
    where: { op: 'in', column: PSEUDONYM.pseudonym, values },
    order: [],
  })
  return rows.map((row) => String(row[PSEUDONYM.subjectHash.name]))
}
