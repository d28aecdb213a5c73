import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { everythingKept, rowsKept } from '../../kit/at-rest.ts'
import { createRandom, type Random } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

/** How many people there are; every second one is erased. */
const PEOPLE = size('ERASE_CANARIES', { smoke: 10, whole: 200 })
const SEED = Number(process.env['ERASE_SEED'] ?? 7)

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const FLAGS = ['pii: true', 'phi: true', 'sensitive: true', 'classification: contact']
const METHODS = ['anonymize', 'pseudonymize', 'delete']

interface Drawn {
  readonly definition: string
  /** The personal fields of the file of a person, by their types. */
  readonly fields: Readonly<Record<string, string>>
}

/** A definition with a resource that nobody has thought up. */
function draw(random: Random): Drawn {
  const fields = Object.fromEntries(
    Array.from({ length: 3 + random.int(5) }, (_, at) => [`f${at}`, random.pick(['string', 'text', 'json'])]),
  )
  const written = Object.entries(fields).map(
    ([name, type]) => `        ${name}: { type: ${type}, privacy: { ${random.pick(FLAGS)} } }`,
  )
  const features = random.some(['audit: true', 'versioning: true', 'softDelete: true'], 3)
  const rule = random.pick(['$pseudonym', '$hash6', 'null', 'gone'])
  const more = `
    File:
      features: { ${features.join(', ')} }
      object:
${written.join('\n')}
        number: { type: integer, privacy: { pii: true } }
        deletedAt: datetime
      relationships: { patient: { type: belongsTo, target: Patient, onDelete: ${random.pick(['cascade', 'nullify'])} } }
      permissions: ${OPEN}`
  return { definition: clinic({ privacy: `anonymization: { rules: { name: ${rule} } }`, more }), fields }
}

for (const store of STORES) {
  describe(`people with canaries on ${store.name}`, () => {
    const random = createRandom(SEED)
    const { definition, fields } = draw(random)
    const server = useTestKernel({ store, definition, config: { jobs: { enabled: false } } })
    let dpo: TestAccount
    const send = (method: string, path: string, body?: unknown, headers = {}) =>
      server().request(method, path, { token: dpo.token, ...(body !== undefined && { body }), headers })
    let drawn = 0
    /** Words that stand nowhere else, in the words of a text of some length. */
    const canary = () => {
      drawn += 1
      return `canary${Buffer.from(random.bytes(6)).toString('hex')}x${drawn}`
    }
    const person = async (isGone: boolean) => {
      const words: string[] = []
      const text = () => {
        const word = canary()
        words.push(word)
        return random.chance(0.3) ? `${word} `.repeat(1 + random.int(300)).trim() : `said ${word} (twice)`
      }
      const value = (type: string) =>
        type === 'json' ? { a: [text(), { b: text() }], n: 1 } : text().slice(0, 200)
      const word = canary()
      words.push(word)
      const email = `${word}@example.org`
      const key = { 'idempotency-key': word }
      const made = await send('POST', `${BASE}/patients`, { name: text().slice(0, 100), email }, key)
      expect([made.status, made.body.errors]).toEqual([201, undefined])
      const patientId = made.body.data.id
      for (let count = random.int(3); count >= 0; count -= 1) {
        const values = Object.fromEntries(
          Object.entries(fields).flatMap(([name, type]) => (random.chance(0.8) ? [[name, value(type)]] : [])),
        )
        const file = await send(
          'POST',
          `${BASE}/files`,
          { ...values, number: random.int(99), patientId },
          {
            'idempotency-key': canary(),
          },
        )
        expect([file.status, file.body.errors]).toEqual([201, undefined])
        const [changed = 'f0'] = random.some(Object.keys(fields), 1)
        await send('PATCH', `${BASE}/files/${file.body.data.id}`, { [changed]: value(fields[changed]!) })
        if (isGone && random.chance(0.2)) await send('DELETE', `${BASE}/files/${file.body.data.id}`)
      }
      await send('POST', `${BASE}/visits`, { complaint: text(), room: '1', patientId })
      return { email, words }
    }

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo', 'admin'])
    })

    it('P15, P16, P18: erased, of nobody a byte is left, and all of the others; a dry run has said so', async () => {
      const people = []
      for (let n = 0; n < PEOPLE; n += 1) people.push(await person(n % 2 === 0))
      const gone = people.filter((_, at) => at % 2 === 0)
      const stay = people.filter((_, at) => at % 2 === 1)
      for (const { email } of gone) {
        const asked = { method: random.pick(METHODS), reason: 'x' }
        const dry = await send('POST', about(email, '/erase'), { ...asked, dryRun: true })
        const done = await send('POST', about(email, '/erase'), asked)
        const { id, erasedAt, ...rest } = done.body.data
        expect([dry.status, done.status, typeof id, typeof erasedAt]).toEqual([200, 200, 'string', 'string'])
        expect(rest).toEqual({ ...dry.body.data, dryRun: false })
        const again = await send('POST', about(email, '/erase'), asked)
        expect([again.status, again.body.data]).toMatchObject([
          200,
          { id, alreadyErased: true, affectedResources: [], unresolved: [] },
        ])
      }
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
      const own = server().kernel.get(StoreCapability)
      await own.scrub((await own.catalog()).tables.map(({ name }) => name))
      const kept = `${await everythingKept(server().database)}\n${JSON.stringify(server().log)}`
      expect(gone.flatMap(({ words }) => words).filter((word) => kept.includes(word))).toEqual([])
      const rows = [...(await rowsKept(server().database)).values()].join('\n')
      expect(stay.flatMap(({ words }) => words).filter((word) => !rows.includes(word))).toEqual([])
    }, 600_000)
  })
}
