import type { Account } from '@svc/auth/contract'
import { onceOf } from '@svc/automation/contract'
import type { Data, WriteOptions } from '@svc/domain/contract'
import { type Call, errors, SYSTEM } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import { rankOf } from '../compile/names.ts'
import type { Privacy } from '../compile/privacy.ts'
import type { Right } from '../definition.ts'
import type { Setting } from '../setting.ts'
import { findSubject, type Finding, isOfSeveral, type Subject } from './find.ts'
import { canonical, hashOf, isIdentifier } from './identifier.ts'

/** Whom a request is about, and by what right it asks. */
export interface Asked {
  readonly identifier: string
  /** What stands for the person: of nobody who is known, that of the identifier. */
  readonly hash: string
  readonly subject: Subject | undefined
  readonly account: Account | undefined
  /** Whether the caller asks about itself, and nothing else opens this to it. */
  readonly isOwn: boolean
  readonly secret: Uint8Array
}

/** Who asks about whom, before that one is looked up. */
export type Asker = Omit<Asked, 'hash' | 'subject'>

/** An identifier in the form that the fields named first have. */
function firstForm(identifier: string, { personal, primary }: Privacy): string {
  const named = personal.find(({ field }) => field.name === primary)
  return named === undefined ? identifier : canonical(named.field, identifier)
}

/** An identifier that no record holds yet, in the form of the first field that could hold it. */
export function canonicalOf(identifier: string, privacy: Privacy): string {
  const rank = rankOf(privacy)
  const taking = privacy.personal
    .filter(({ identifies }) => identifies)
    .toSorted((a, b) => rank.of(a.field.name) - rank.of(b.field.name))
    .find(({ field }) => 'value' in field.compiled.check(canonical(field, identifier)))
  return taking === undefined ? firstForm(identifier, privacy) : canonical(taking.field, identifier)
}

/**
 * Whom `identifier` names, for a caller who has the right to ask. Throws INVALID_QUERY for what cannot be one, and FORBIDDEN
 * whether somebody is known by it or not.
 */
export async function whoIs(
  identifier: string,
  right: Right,
  call: Call,
  data: Data,
  setting: Setting,
): Promise<Asked> {
  const asker = await askerOf(identifier, right, call, data, setting)
  return { ...asker, ...(await subjectOf(identifier, data.reader, asker.secret, setting)) }
}

/** The same where whom it names is not looked up yet, for what looks inside of its own transaction. */
export async function askerOf(
  identifier: string,
  right: Right,
  call: Call,
  data: Data,
  setting: Setting,
): Promise<Asker> {
  const { privacy, accounts } = setting
  const roles = privacy.permissions[right]
  const { caller } = call
  const isPermitted =
    caller.kind === 'system' || roles.some((role) => role !== 'subject' && caller.roles.includes(role))
  const isOwn = !isPermitted && roles.includes('subject')
  if (!isPermitted && !isOwn) throw errors.FORBIDDEN()
  if (!isIdentifier(identifier)) {
    if (isOwn) throw errors.FORBIDDEN()
    throw errors.INVALID_QUERY({
      message: 'An identifier has 1 to 320 characters, none of which is a control',
    })
  }
  const secret = await secretOf(data, setting)
  if (isPermitted) return { identifier, isOwn, secret, account: await accounts.ofAddress(identifier) }
  const account = caller.id === null ? undefined : await accounts.find(caller.id)
  if (account === undefined || !account.verified) throw errors.FORBIDDEN()
  const own = hashOf(firstForm(account.email, privacy), secret)
  const found = await subjectOf(identifier, data.reader, secret, setting).catch((error: unknown) => {
    if (isOfSeveral(error)) return undefined
    throw error
  })
  if (found?.hash !== own) throw errors.FORBIDDEN()
  return { identifier, isOwn, secret, account }
}

/** The subject of an identifier, and what stands for it. */
export async function subjectOf(
  identifier: string,
  reader: Reader,
  secret: Uint8Array,
  { privacy, tables }: Setting,
): Promise<Pick<Asked, 'hash' | 'subject'>> {
  const subject = await findSubject(identifier, { privacy, tables, secret, reader })
  return { subject, hash: subject?.hash ?? hashOf(canonicalOf(identifier, privacy), secret) }
}

async function secretOf(data: Data, { key }: Setting): Promise<Uint8Array> {
  const known = await key.read(data.reader)
  return known ?? data.write({ caller: SYSTEM }, (writes) => key.inside(writes))
}

export const findingOf = (reader: Reader, secret: Uint8Array, { privacy, tables }: Setting): Finding => ({
  privacy,
  tables,
  secret,
  reader,
})

/**
 * How what a request asks of a person is done once for its `Idempotency-Key`. Neither the identifier nor what was sent is kept,
 * but by hashes under the key of the domain.
 */
export const onceAbout = (
  { identifier, secret }: Pick<Asked, 'identifier' | 'secret'>,
  name: string,
  sent: unknown,
  call: Call,
  { privacy }: Setting,
): WriteOptions => {
  const about = hashOf(canonicalOf(identifier, privacy), secret)
  return onceOf(call, `privacy ${name} ${about}`, hashOf(JSON.stringify(sent), secret))
}
