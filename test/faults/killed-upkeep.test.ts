import { describe, expect, it } from 'vitest'
import { sendFile } from '../acceptance/localization/translators.ts'
import { clinic, ENCRYPTION, newKey, OPEN, PATIENTS, VARIABLE } from '../acceptance/privacy/clinic.ts'
import { filesKept, rowsKept } from '../kit/at-rest.ts'
import { createRandom } from '../kit/random.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { type KillableServer, type Moment, useKillableServer } from './killable-server.ts'

// What is done to many values in one go or by itself, on a server that is killed at any moment of it: keys that are exchanged,
// a field that comes to be encrypted, and an import of translations.

/** Every kill is followed by a whole start of the program. */
const KILLS = size('UPKEEP_KILLS', { smoke: 1, whole: 40 })
const SEED = size('UPKEEP_SEED', { smoke: 1, whole: 1 })
const PATIENCE_MS = 90_000 + KILLS * 30_000
/** So long a server lives at most behind the write at which its end is sure. */
const AFTERLIFE_MS = 30
const DAY_MS = 86_400_000
/** By then every server has a new key, in milliseconds. */
const GRACE_MS = 61_000
/** More records than one transaction encrypts anew, and than one request makes. */
const RECORDS = 250
const PORTION = 50

const config = { domain: { env_allow: [VARIABLE] }, jobs: { poll_seconds: 0.1, lease_seconds: 1 } }
const surroundings = () => ({ [VARIABLE]: newKey('one') })

/** Moments of something that has about so many points; each of some kills at another. */
function* momentsOf(points: number): Iterable<Moment & { readonly kill: number }> {
  const random = createRandom(SEED)
  for (let kill = 1; kill <= KILLS; kill += 1)
    yield { kill, point: random.int(points), afterMs: random.chance(0.5) ? random.int(AFTERLIFE_MS) : 0 }
}

const patientOf = (at: number) => ({ name: `p${at}`, ssn: `canary-s${at}`, note: `canary-n${at}` })

async function fill({ send }: KillableServer): Promise<void> {
  for (let done = 0; done < RECORDS; done += PORTION) {
    const items = Array.from({ length: PORTION }, (_, at) => patientOf(done + at))
    expect((await send('POST', `${PATIENTS}/bulk`, { items })).status).toBe(201)
  }
}

/** All patients, as they are shown. */
async function shown({ send }: KillableServer): Promise<readonly { readonly ssn: string }[]> {
  const pages = [1, 2, 3].map((page) => send('GET', `${PATIENTS}?sort=name&limit=100&page=${page}`))
  return (await Promise.all(pages)).flatMap(({ body }) => body.data.items)
}

/** A record whose value was changed is found by it, by the index of hashes if there is one. */
async function expectFound({ send }: KillableServer): Promise<void> {
  for (const at of [0, RECORDS - 1]) {
    const { ssn, name } = patientOf(at)
    const { body } = await send('GET', `${PATIENTS}?filter[ssn]=${ssn}`)
    expect(body.data.items.map((one: { readonly name: string }) => one.name)).toEqual([name])
  }
}

for (const store of STORES) {
  describe(`keys that are exchanged on ${store.name}, on a server that is killed`, () => {
    const privacy = ENCRYPTION.replace(' }', ', keyRotation: 30d }')
    const server = useKillableServer(store, clinic({ privacy }), config, surroundings())
    const heads = async () => {
      const rows = (await rowsKept(server().database)).get('clinic_patient') ?? ''
      return [...new Set(rows.match(/(?<=")e1[0-9a-f]{8}/g))].toSorted()
    }
    /** Lets time pass until only values of the newest key are left, or what `isOver` says is so. */
    const untilNewest = (newest: string, isOver = () => false) =>
      expect
        .poll(
          async () => {
            server().advance(GRACE_MS)
            return isOver() ? [newest] : heads()
          },
          { timeout: 60_000, interval: 300 },
        )
        .toEqual([newest])

    it(
      'E3: every value is under one key or the other, and all are under the new one in the end by themselves',
      async () => {
        await fill(server())
        const before = await shown(server())
        expect(before.length).toBe(RECORDS)
        let killed = 0
        // A key is made, work is put and claimed, and each record is one write; the work begins anew behind a kill.
        for (const { kill, ...moment } of momentsOf(2 * RECORDS)) {
          const newest = `e1${(kill + 1).toString(16).padStart(8, '0')}`
          server().arm(moment)
          let isDead = false
          void server().now.server.exited.then(() => (isDead = true))
          server().advance(31 * DAY_MS)
          await untilNewest(newest, () => isDead)
          if (await server().revive(0)) killed += 1
          expect([moment, await shown(server())]).toEqual([moment, before])
          await expectFound(server())
          await untilNewest(newest)
          expect([moment, await shown(server())]).toEqual([moment, before])
          await expectFound(server())
        }
        expect(killed).toBeGreaterThan(0)
      },
      PATIENCE_MS,
    )
  })

  describe(`a field that comes to be encrypted on ${store.name}, on a server that is killed`, () => {
    const version = (number: number, isOn: boolean) => {
      const flag = isOn ? ', privacy: { encrypted: true }' : ''
      return clinic({
        version: String(number),
        object: `name: string
        ssn: { type: string, unique: true${flag} }
        note: { type: text${flag} }`,
        more: `history: { events: { came: { on: create, capture: [ssn], label: '{name} has {ssn}' } } }`,
      })
    }
    const server = useKillableServer(store, version(1, false), config, surroundings())
    const kept = async () => {
      const rows = [...(await rowsKept(server().database))].filter(([name]) => name.startsWith('clinic'))
      return rows.map(([, text]) => text).join('\n')
    }
    /** How many of the values stand in the clear, ledgers included. */
    const clear = async () => (await kept()).split('canary').length - 1
    const submit = (number: number, isOn: boolean) =>
      server().send('POST', '/api/v1/domains', { content: version(number, isOn) })

    it(
      'E6: all values are as they were, or encrypted with nothing left of them',
      async () => {
        await fill(server())
        const [before, all] = [await shown(server()), await clear()]
        expect([before.length, all > RECORDS]).toEqual([RECORDS, true])
        let [number, killed] = [1, 0]
        for (const moment of momentsOf(40)) {
          server().arm(moment, 'definition')
          const answer = await submit((number += 1), true).catch(() => undefined)
          if (await server().revive(answer === undefined ? 10_000 : 10 * AFTERLIFE_MS)) killed += 1
          const left = await clear()
          expect([moment, [0, all]]).toEqual([moment, expect.arrayContaining([left])])
          if (answer !== undefined) expect([moment, answer.status, left]).toEqual([moment, 201, 0])
          expect([moment, await shown(server())]).toEqual([moment, before])
          await expectFound(server())
          if (left > 0) expect((await submit(number, true)).status).toBe(201)
          expect([moment, await clear()]).toEqual([moment, 0])
          // What the file has of them still is taken out by itself.
          if (store.name === 'sqlite')
            await expect
              .poll(async () => (await filesKept(server().database)).includes('canary'), { timeout: 60_000 })
              .toBe(false)
          expect((await submit((number += 1), false)).status).toBe(201)
          expect([moment, await shown(server())]).toEqual([moment, before])
        }
        expect(killed).toBeGreaterThan(0)
      },
      PATIENCE_MS,
    )
  })

  describe(`an import of translations on ${store.name}, on a server that is killed`, () => {
    const FIELDS = 300
    const fields = Array.from({ length: FIELDS }, (_, at) => `f${at}: string`).join(', ')
    const server = useKillableServer(
      store,
      `
domain:
  name: words
  version: '1'
  localization: { supportedLocales: [en, de] }
  resources: { Word: { object: { ${fields} }, permissions: ${OPEN} } }`,
    )
    const fileOf = (word: string) =>
      `key,context,en,de\r\n${Array.from({ length: FIELDS }, (_, at) => `resources.Word.fields.f${at}.label,,F${at},${word}\r\n`).join('')}`
    const send = (word: string) =>
      sendFile(server().now.server.request, server().now.token, fileOf(word), '', 'words')
    /** What stands there, and what is told. */
    const words = async () => {
      const rows = JSON.parse((await rowsKept(server().database)).get('localization_texts') ?? '[]')
      const { body } = await server().now.server.request('GET', '/api/v1/domains/words/schema', {
        headers: { 'accept-language': 'de' },
      })
      const labels: string[] = Object.entries<any>(body.data.resources.Word.fields).flatMap(
        ([name, { label }]) => (/^f\d/.test(name) ? [label] : []),
      )
      return {
        stored: [rows.length, ...new Set(rows.map(({ text }: { readonly text: string }) => text))],
        told: [labels.length, ...new Set(labels)],
      }
    }
    const whole = (word: string) => ({ stored: [FIELDS, word], told: [FIELDS, word] })

    it(
      'L15: all of its texts are there or none, and what was answered is',
      async () => {
        expect((await send('word0')).status).toBe(200)
        let killed = 0
        for (const { kill, ...moment } of momentsOf(10)) {
          const [last, next] = [`word${kill - 1}`, `word${kill}`]
          server().arm(moment)
          const answer = await send(next).catch(() => undefined)
          if (await server().revive(answer === undefined ? 10_000 : 10 * AFTERLIFE_MS)) killed += 1
          const come = await words()
          if (answer === undefined)
            expect([moment, [whole(last), whole(next)]]).toEqual([moment, expect.arrayContaining([come])])
          else expect([moment, answer.status, come]).toEqual([moment, 200, whole(next)])
          expect((await send(next)).status).toBe(200)
          expect(await words()).toEqual(whole(next))
        }
        expect(killed).toBeGreaterThan(0)
      },
      PATIENCE_MS,
    )
  })
}
