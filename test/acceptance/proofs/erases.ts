import type { Random } from '../../kit/random.ts'
import { clinic } from '../privacy/practice.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"

/** A clinic with everything by which records refer to each other, and a law that keeps some of them. */
export const CLINIC = clinic({
  more: `
    Bill:
      features: { audit: true, versioning: true }
      history: { events: { made: { on: create, label: 'Bill of {payer}', capture: [payer] } } }
      object:
        payer: { type: string, privacy: { classification: billing } }
        status: string
      relationships: { patient: { type: belongsTo, target: Patient, onDelete: restrict } }
      permissions: ${OPEN}
    Mark:
      object: { color: string, remark: { type: string, privacy: { pii: true } } }
      relationships: { visit: { type: belongsTo, target: Visit, onDelete: nullify } }
      permissions: ${OPEN}`,
  privacy: `anonymization: { rules: { name: $pseudonym, Patient.phone: null, born: $fuzzyDate(30d), complaint: removed, payer: $hash6 } }
    retention: [{ category: billing, hold: true, regulation: HGB, when: "status == 'kept'" }]`,
}).replace('contact: {} }', 'contact: {}, billing: {} }')

/** The columns of each resource, by its name. */
export const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Patient: ['name', 'email', 'phone', 'remark', 'referredById'],
  Visit: ['complaint', 'room', 'patientId'],
  Note: ['text', 'visitId'],
  Message: ['sender', 'receiver', 'text'],
  Holder: ['email'],
  Paper: ['title', 'holderId'],
  Visitor: ['email'],
  Bill: ['payer', 'status', 'patientId'],
  Mark: ['color', 'remark', 'visitId'],
}

/** What is asked of an erase. */
export interface Asked {
  readonly method: string
  readonly retainAudit: boolean
  readonly retainHistory: boolean
  readonly excludeResources: readonly string[]
}

/** Draws what is asked of an erase: most leave nothing out. */
export const drawAsked = (random: Random): Asked => ({
  method: random.pick(['anonymize', 'anonymize', 'pseudonymize', 'delete', 'delete']),
  retainAudit: random.chance(0.15),
  retainHistory: random.chance(0.15),
  excludeResources: random.chance(0.2) ? random.some(Object.keys(FIELDS), 2) : [],
})

/** A record that is to be made; values that begin with `@` name one that was made before. */
export interface Drawn {
  readonly resource: string
  readonly values: Readonly<Record<string, string | number | null>>
  /** What it is changed to afterwards. */
  readonly later?: Readonly<Record<string, string>>
  readonly isDeleted?: boolean
}

/** Somebody who is erased, with somebody else who is not. */
export interface Person {
  readonly email: string
  readonly records: readonly Drawn[]
  /** Texts that are this person's alone. */
  readonly words: readonly string[]
}

/** Draws a person with records, in an order in which they can be made. */
export function drawPerson(random: Random, at: number): Person {
  const email = `somebody.${at}@example.org`
  const other = `other.${at}@example.org`
  const words = [email]
  const own = (what: string): string => {
    const word = `${what} of no. ${at}-${words.length}`
    words.push(word)
    return word
  }
  const records: Drawn[] = []
  const places: Record<string, string[]> = {}
  const add = (drawn: Drawn): void => {
    ;(places[drawn.resource] ??= []).push(`@${records.length}`)
    records.push(drawn)
  }
  const one = (resource: string): string | null => {
    const all = places[resource] ?? []
    return all.length === 0 ? null : random.pick(all)
  }
  add({ resource: 'Patient', values: { name: `Other no. ${at}`, email: other, remark: 'stays' } })
  if (random.chance(0.8))
    add({
      resource: 'Patient',
      values: {
        name: own('name'),
        email,
        remark: 'stays',
        ...(random.chance(0.5) && { phone: `+4930${String(1_000_000 + at)}`, born: '1980-05-05' }),
        referredById: random.chance(0.3) ? '@0' : null,
      },
      ...(random.chance(0.5) && { later: { name: own('later name') } }),
      isDeleted: random.chance(0.15),
    })
  const patients = places['Patient']!
  for (let left = random.int(5); left > 0; left -= 1) {
    const patientId = random.pick(patients)
    // Of a record that is gone and held no identifier nobody knows whose it was.
    const isDeleted = random.chance(0.15)
    const isOwn = patientId !== '@0' && !isDeleted
    const text = isOwn ? own('complaint') : `complaint of somebody ${at}`
    add({
      resource: 'Visit',
      values: { complaint: text, room: '1', patientId },
      ...(isOwn && random.chance(0.3) && { later: { complaint: own('later complaint') } }),
      isDeleted,
    })
  }
  for (let left = random.int(3); left > 0; left -= 1)
    add({ resource: 'Note', values: { text: `noted ${at} ${left}`, visitId: one('Visit') } })
  for (let left = random.int(3); left > 0; left -= 1)
    add({ resource: 'Mark', values: { color: 'red', remark: `marked ${at} ${left}`, visitId: one('Visit') } })
  for (let left = random.int(3); left > 0; left -= 1) {
    const patientId = random.pick(patients)
    const payer = patientId === '@0' ? `payer of other ${at}` : own('payer')
    add({ resource: 'Bill', values: { payer, status: random.chance(0.15) ? 'kept' : 'paid', patientId } })
  }
  for (let left = random.int(4); left > 0; left -= 1) {
    const [sender, receiver] = random.chance(0.5) ? [email, other] : [other, random.pick([email, null])]
    add({ resource: 'Message', values: { sender, receiver, text: 'hello' } })
  }
  if (random.chance(0.3)) {
    add({ resource: 'Holder', values: { email } })
    if (random.chance(0.5)) add({ resource: 'Paper', values: { title: 'a paper', holderId: one('Holder') } })
  }
  if (random.chance(0.3)) add({ resource: 'Visitor', values: { email }, isDeleted: random.chance(0.3) })
  return { email, records, words }
}
