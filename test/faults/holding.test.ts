// What one request keeps the process from doing anything else for: every other client waits for so long.
import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { held } from '../kit/held.ts'
import { STORES } from '../kit/stores.ts'
import { useTestKernel } from '../kit/test-kernel.ts'

/** Prints what every kind of request holds the process for. */
const TELLS = process.env['TELL_HOLDING'] !== undefined
const TRIES = 3
const LONG = 930_000
/** So much of its time an erase keeps everybody else waiting at most, where nothing else does. */
const SHARE = 1 / 3

/** What a person is called: all of it is looked for by who erases. */
const NAMES = Array.from({ length: 20 }, (_, at) => `name${at}`)

const definition = (version: string, search: boolean) => `
domain:
  name: hold
  version: '${version}'
  privacy:
    subjectIdentifier: { primary: email }
    classifications: { contact: { description: How a person is reached } }
  resources:
    Person:
      object:
        email: { type: string, privacy: { subjectIdentifier: true, classification: contact } }
${NAMES.map((name) => `        ${name}: { type: string, privacy: { pii: true, classification: contact } }`).join('\n')}
      permissions: { list: [admin], get: [admin], create: [admin] }
    Paper:
      object: { text: text }
      permissions: { list: [admin], get: [admin], create: [admin] }
    Note:
      features: { search: ${search} }
      object:
        title: string
        text: text
        mark: markdown
        number: integer
        data: json
        word: { type: text, pattern: '^([a-z0-9+/=]+ ?)*$' }
        slug: { type: slug, from: text }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const NOTES = '/api/v1/hold/notes'

const random = (length: number) => randomBytes(length).toString('base64').slice(0, length)

/** What SQLite takes to index one long text whole, in milliseconds. */
function indexedWhole(): number {
  const database = new Database(':memory:')
  database.exec(`create virtual table found using fts5(c0, content = '', tokenize = 'trigram')`)
  const insert = database.prepare('insert into found (rowid, c0) values (?, ?)')
  const times = Array.from({ length: TRIES }, (_, at) => {
    const text = random(LONG)
    const begun = performance.now()
    insert.run(at + 1, text)
    return performance.now() - begun
  })
  database.close()
  return Math.min(...times)
}

let whole = 0
beforeAll(() => {
  whole = indexedWhole()
})

for (const store of STORES) {
  describe(`one request on ${store.name}`, () => {
    const kernel = useTestKernel({ store, definition: definition('1.0.0', true) })

    const send = async (method: string, path: string, body?: unknown) => {
      const { request, admin: token } = kernel()
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      const seen = await held(() => request(method, path, { token, ...text }))
      if (TELLS) {
        const size = text.body === undefined ? '' : `, ${Math.round(text.body.length / 1000)} KB`
        process.stdout.write(
          `${store.name}: ${method} ${path.slice(0, 60)}${size}: ${Math.round(seen.ms)} ms\n`,
        )
      }
      return seen
    }
    const several = async (work: (at: number) => ReturnType<typeof send>) => {
      const all = []
      for (let at = 0; at < TRIES; at += 1) all.push(await work(at))
      return { least: Math.min(...all.map(({ ms }) => ms)), answers: all.map(({ answer }) => answer) }
    }

    it('that brings a long text to a searched resource holds the others for less than half of what indexing it would take', async () => {
      await send('POST', NOTES, { title: 'the first' })
      const made = await several(() => send('POST', NOTES, { text: random(LONG) }))
      expect(made.answers.map(({ status }) => status)).toEqual(Array.from({ length: TRIES }, () => 201))
      expect(made.least * 2).toBeLessThan(whole)
      const at = `${NOTES}/${made.answers[0]!.body.data.id}`
      const changed = await several(() => send('PATCH', at, { text: random(LONG) }))
      expect(changed.answers.map(({ status }) => status)).toEqual(Array.from({ length: TRIES }, () => 200))
      expect(changed.least * 2).toBeLessThan(whole)
      const sought = await several(() => send('GET', `${NOTES}?search=nowhere+at+all&limit=5`))
      expect(sought.least * 2).toBeLessThan(whole)
    })

    it('that brings many texts lets others have their turns', async () => {
      const texts = Array.from({ length: 60 }, () => ({ text: random(15_000) }))
      const bulk = await send('POST', `${NOTES}/bulk`, texts)
      expect(bulk.answer.status).toBe(201)
      expect(bulk.turns).toBeGreaterThan(10)
      const small = await send(
        'POST',
        `${NOTES}/bulk`,
        Array.from({ length: 1000 }, () => ({ text: random(900) })),
      )
      expect(small.answer.status).toBe(201)
      expect(small.turns).toBeGreaterThan(20)
    })

    it('that erases somebody holds the others for a part of its time, however long the texts are that it looks through', async () => {
      const names = Object.fromEntries(NAMES.map((name) => [name, `Ann the ${name}th`]))
      for (let at = 0; at < 12; at += 1) {
        const paper = await send('POST', '/api/v1/hold/papers', { text: random(LONG) })
        expect(paper.answer.status).toBe(201)
      }
      const shares: number[] = []
      for (let at = 0; at < 2 && !(shares.at(-1)! < SHARE); at += 1) {
        const person = await send('POST', '/api/v1/hold/people', { email: 'ann@example.org', ...names })
        expect(person.answer.status).toBe(201)
        const body = { reason: 'asked for' }
        const { answer, ms, took } = await send(
          'POST',
          '/api/v1/hold/privacy/subject/ann@example.org/erase',
          body,
        )
        expect(answer.status, JSON.stringify(answer.body)).toBe(200)
        shares.push(ms / took)
      }
      expect(Math.min(...shares)).toBeLessThan(SHARE)
    })

    it('that looks through all there is, or sorts it, holds nobody', async () => {
      for (let at = 0; at < 3; at += 1)
        await send(
          'POST',
          `${NOTES}/bulk`,
          Array.from({ length: 1000 }, (_, number) => ({ number })),
        )
      const queries = [
        '?limit=5&filter[text][like]=*nowhere*',
        '?limit=5&page=1&filter[number]=-1',
        '?limit=5&sort=-number,title',
        '/count?filter[number]=-2',
      ]
      // What a thread is asked keeps this one free, as what PostgreSQL is asked does.
      const asked = vi.spyOn(Worker.prototype, 'postMessage')
      for (const query of queries) {
        asked.mockClear()
        const { answer } = await send('GET', `${NOTES}${query}`)
        expect(answer.status, JSON.stringify(answer.body)).toBe(200)
        const read = asked.mock.calls.filter(([question]) =>
          String(Object(question)['sql']).includes('hold_note'),
        )
        if (store.name === 'sqlite') expect(read.length, query).toBeGreaterThan(0)
      }
      asked.mockRestore()
    })

    it('that makes a search index of what is there lets others have their turns', async () => {
      const { submit } = kernel()
      await submit(definition('1.0.1', false))
      const { turns } = await held(() => submit(definition('1.0.2', true)))
      expect(turns).toBeGreaterThan(20)
    })

    it('with sixty thousand names that no field has is told of the first twenty, and of how many more', async () => {
      const body = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, at]))
      const { answer } = await send('POST', NOTES, body)
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toHaveLength(21)
      expect(answer.body.errors[20]).toMatchObject({ field: '', rule: 'unknown' })
      expect(answer.body.errors[20].message).toContain('59980')
    })

    it('is answered whatever its mebibyte is made of', async () => {
      const bodies: readonly (readonly [number, object])[] = [
        [201, { mark: '# x\n* [a](b) **c** `d`\n'.repeat(40_000) }],
        [201, { data: Array.from({ length: 400_000 }, () => 1) }],
        [201, { data: Array.from({ length: 100_000 }, () => ({ a: 1 })) }],
        [201, { data: Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, at])) }],
        [201, { word: 'ab '.repeat(300_000) }],
        [422, { word: `${'ab '.repeat(300_000)}!` }],
        [201, { text: 'ä x '.repeat(150_000) }],
      ]
      for (const [status, body] of bodies)
        expect((await send('POST', NOTES, body)).answer.status).toBe(status)
    })
  })
}
