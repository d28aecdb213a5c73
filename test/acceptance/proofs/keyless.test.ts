import { createDecipheriv, createHash, createHmac, createSecretKey } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { everythingKept, rowsKept } from '../../kit/at-rest.ts'
import { behind } from '../../kit/behind.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { clinic, config, ENCRYPTION, OPEN, PATIENT, PATIENTS, sender, VARIABLE } from '../privacy/clinic.ts'

/** How many addresses are tried against what is kept. */
const ADDRESSES = size('KEYLESS_ADDRESSES', { smoke: 3000, whole: 1_000_000 })
/** Each is a hundred digests: on a machine that others use, a millisecond. */
const PATIENCE_MS = 60_000 + ADDRESSES * 2
/** Every how many of them somebody has. */
const STRIDE = Math.floor(ADDRESSES / 24)
const addressOf = (at: number): string => `mailbox.${at}@example.org`

const DEFINITION = clinic({
  object: PATIENT.replace('name: string', 'name: { type: string, privacy: { pii: true } }'),
  privacy: `${ENCRYPTION}
    subjectIdentifier: { primary: email }
    consent: [{ purpose: survey }]
    anonymization: { rules: { email: $hash6, name: $pseudonym } }`,
  others: `Lead:
      object:
        email: { type: email, unique: true, privacy: { subjectIdentifier: true } }
        nick: { type: string, privacy: { pii: true } }
      permissions: ${OPEN}`,
})

interface KeptKey {
  readonly purpose: string
  readonly number: number
  readonly wrapped: string
}

const opened = (kept: string, key: Buffer, bound: string): Buffer => {
  const bytes = Buffer.from(kept, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(bound))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

/** Every key of the domain, as one who has the operator's opens them. */
function keysOf(rows: ReadonlyMap<string, string>): readonly Buffer[] {
  const operators = Buffer.from(String(process.env[VARIABLE]).split(':')[1] ?? '', 'base64')
  const wrapped = JSON.parse(rows.get('svc_encryption_keys') ?? '[]') as KeptKey[]
  const keys = wrapped.map(({ purpose, number, wrapped: kept }) => ({
    purpose,
    key: opened(kept, operators, JSON.stringify(['clinic', purpose, Number(number)])),
  }))
  const data = keys.find(({ purpose }) => purpose === 'data')!.key
  const [, sealed = ''] =
    /e1[0-9a-f]{8}([A-Za-z0-9+/=]+)/.exec(rows.get('clinic__privacy__secrets') ?? '') ?? []
  const subjects = JSON.parse(opened(sealed, data, JSON.stringify(['clinic', null])).toString())
  return [operators, ...keys.map(({ key }) => key), Buffer.from(subjects, 'base64')]
}

/** What stands for somebody in the database: of subjects, of values that are looked for, of `$hash6`, and pseudonyms. */
function marksIn(text: string): ReadonlySet<string> {
  return new Set([
    ...(text.match(/\b[0-9a-f]{64}\b/g) ?? []),
    ...[...text.matchAll(/"([\w-]{22})"/g)].map(([, mark = '']) => mark),
    ...(text.match(/\b[0-9a-f]{6,12}(?=@anonymous)/g) ?? []),
    ...(text.match(/\bp-[a-z2-7]{16}\b/g) ?? []),
  ])
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** The marks that a digest may have become. */
const marksOf = (digest: Buffer): readonly string[] => {
  const hex = digest.toString('hex')
  return [
    hex,
    hex.slice(0, 12),
    digest.toString('base64url').slice(0, 22),
    `p-${[...digest.subarray(0, 16)].map((byte) => ALPHABET[byte % 32]).join('')}`,
  ]
}

/** What a digest begins with if it has become one of the marks: the words are made of the few alone that do. */
class Beginnings {
  readonly #bytes = new Uint8Array(1 << 16)
  readonly #letters = new Uint8Array(1 << 10)

  constructor(marks: Iterable<string>) {
    for (const mark of marks) {
      if (mark.startsWith('p-'))
        this.#letters[(ALPHABET.indexOf(mark[2]!) << 5) | ALPHABET.indexOf(mark[3]!)] = 1
      for (const form of ['hex', 'base64url'] as const) {
        const bytes = Buffer.from(mark, form)
        if (bytes.length > 1) this.#bytes[bytes.readUInt16BE()] = 1
      }
    }
  }

  has(digest: Buffer): boolean {
    const [first = 0, second = 0] = digest
    return (
      this.#bytes[(first << 8) | second] === 1 || this.#letters[((first % 32) << 5) | (second % 32)] === 1
    )
  }
}

/** The addresses of which a mark can be made by one of these keys. */
function guessed(marks: ReadonlySet<string>, keys: readonly Buffer[], addresses: Iterable<string>): string[] {
  const places = keys.map((key) => createHmac('sha256', key).update('Patient.email').digest())
  const secrets = [
    ...new Map([...keys, ...places].map((key) => [key.toString('hex'), createSecretKey(key)])).values(),
  ]
  const beginnings = new Beginnings(marks)
  const isMark = (digest: Buffer) => beginnings.has(digest) && marksOf(digest).some((mark) => marks.has(mark))
  const found: string[] = []
  for (const address of addresses) {
    const said = [address, `subject\0${address}`, `value\0${address}`, JSON.stringify(address)]
    const hasMark = (text: string) =>
      secrets.some((key) => isMark(createHmac('sha256', key).update(text).digest())) ||
      isMark(createHash('sha256').update(text).digest()) ||
      isMark(createHash('md5').update(text).digest())
    if (said.some(hasMark)) found.push(address)
  }
  return found
}

function* allAddresses(): Iterable<string> {
  for (let at = 0; at < ADDRESSES; at += 1) yield addressOf(at)
}

for (const store of STORES) {
  describe(`whoever has the database and no key, on ${store.name}`, () => {
    const server = useTestKernel({ store, config, definition: DEFINITION })
    const send = sender(server)
    let officer: TestAccount
    const people = Array.from({ length: 24 }, (_, at) => addressOf(at * STRIDE))
    const ids: string[] = []
    const make = async (path: string, body: object): Promise<string> => {
      const made = await send('POST', path, body)
      expect([made.status, made.body.errors]).toEqual([201, undefined])
      return made.body.data.id
    }
    const patient = (email: string, at: number) => ({
      name: `Canary Person ${at}`,
      ssn: `canary-ssn-${at}`,
      email,
      ward: `canary-ward-${at}`,
      born: '1961-02-03',
      note: `canary-note ${at} ${'word '.repeat(200)}`,
      weight: 60 + at / 4,
      file: { allergies: [`canary-nuts-${at}`] },
    })

    beforeAll(async () => {
      officer = await server().account('officer', ['admin'])
      for (const [at, email] of people.entries()) {
        ids.push(await make(PATIENTS, patient(email, at)))
        await make('/api/v1/clinic/leads', { email, nick: `Canary Nick ${at}` })
        const about = `/api/v1/clinic/privacy/subject/${encodeURIComponent(email)}`
        await make(`${about}/consent/grant`, { purpose: 'survey', evidence: 'a form' })
        const method = at < 6 ? 'anonymize' : 'pseudonymize'
        if (at >= 12) continue
        const { status } = await send('POST', `${about}/erase`, { method, reason: 'asked for' })
        expect(status).toBe(200)
      }
      expect(officer.token).toBeTruthy()
    })

    it(
      'P12, P13, E4: finds nobody by a list of addresses',
      async () => {
        const rows = await rowsKept(server().database)
        const marks = marksIn([...rows].map(([name, text]) => `${name} ${text}`).join('\n'))
        expect(marks.size).toBeGreaterThan(60)
        // The same guesses find people by the keys: those who are there, and those who are known by a pseudonym.
        const byKeys = guessed(marks, keysOf(rows), people)
        expect(people.slice(6).filter((one) => !byKeys.includes(one))).toEqual([])
        const texts = ['svc_encryption_keys', 'clinic__privacy__secrets'].flatMap((name) =>
          [...(rows.get(name) ?? '').matchAll(/"([^"]+)"/g)].map(([, text = '']) => text),
        )
        const lying = [...new Set(texts)].filter((text) => text.length > 20)
        const keys = ['', 'clinic', 'subject', 'subjects'].map((text) => Buffer.from(text))
        for (const text of lying)
          keys.push(Buffer.from(text), Buffer.from(text.replace(/^e1.{8}/, ''), 'base64'))
        expect(guessed(marks, keys, allAddresses())).toEqual([])
      },
      PATIENCE_MS,
    )

    it('E5: finds no value that is encrypted, and no key', async () => {
      const kept = await everythingKept(server().database)
      const rows = await rowsKept(server().database)
      expect(kept).toContain('Canary Person 20')
      const values = people.flatMap((email, at) => {
        const { ssn, ward, file, weight } = patient(email, at)
        return [ssn, ward, file.allergies[0]!, `canary-note ${at}`, `"weight":${weight}`]
      })
      expect(values.filter((value) => kept.includes(value))).toEqual([])
      for (const key of keysOf(rows))
        for (const form of ['latin1', 'base64', 'hex', 'base64url'] as const)
          expect(kept.includes(key.toString(form))).toBe(false)
    })

    it('E3, E6: cannot move a value to any other record or field', async () => {
      const fields = ['ssn', 'email', 'ward', 'born', 'note', 'weight', 'file']
      const [one, other] = [ids[20]!, ids[21]!]
      await behind(server().database, 'create table clinic_copy as select * from clinic_patient')
      const copied = (field: string, id: string) => `(select "${field}" from clinic_copy where id = '${id}')`
      const put = (field: string, from: string) =>
        behind(server().database, `update clinic_patient set "${field}" = ${from} where id = '${one}'`)
      const told: string[] = []
      for (const to of fields)
        for (const from of fields)
          for (const id of [one, other]) {
            if (id === one && from === to) continue
            await put(to, copied(from, id))
            const { status, body } = await send('GET', `${PATIENTS}/${one}`)
            if (status !== 500 || body.error_code !== 'INTERNAL_ERROR') told.push(`${from} of ${id} as ${to}`)
            await put(to, copied(to, one))
          }
      expect(told).toEqual([])
      const { body } = await send('GET', `${PATIENTS}/${one}`)
      expect(body.data).toMatchObject(patient(people[20]!, 20))
      await behind(server().database, 'drop table clinic_copy')
    })
  })
}
