import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SYSTEM } from '@svc/kernel'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../../kit/size.ts'
import { SPATIAL_STORES } from '../../kit/spatial-stores.ts'
import type { TestKernel } from '../../kit/test-kernel.ts'
import { RAW, rawForm } from '../files/desk.ts'
import { BASE, FIELDS, gallery, ROOMS, WORKS } from './gallery.ts'
import { asked, queries, reads } from './questions.ts'
import { type Question, seen, type Side, startTwins, type Twins } from './twins.ts'

/** How many requests each caller of each store sends. */
const REQUESTS = size('GALLERY_REQUESTS', { smoke: 80, whole: 600 })
const SEED = 1313
const WORK_COUNT = 8

interface Known {
  readonly works: readonly string[]
  readonly items: readonly string[]
  readonly documents: readonly string[]
  readonly tokens: Readonly<Record<string, string | undefined>>
}

const point = (...coordinates: readonly number[]) => ({ type: 'Point', coordinates })
const SVG = (side: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><path d="M0 0h${side}"/></svg>`

for (const store of SPATIAL_STORES)
  describe(`pictures, places and papers that a caller may not know of, on ${store.name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-twins-'))
    let twins: Twins
    let known: Known

    beforeAll(async () => {
      twins = await startTwins(store, gallery(), {
        config: (side) => ({ ...store.config, files: { root: join(folder, side) } }),
      })
      known = await settle(twins)
    })
    afterAll(async () => {
      await twins?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    it('are really different on the two servers', async () => {
      const { boss } = known.tokens
      for (const path of [
        `${WORKS}?filter[hideout][bbox]=0,0,9,9`,
        `${BASE}/media/${known.items[0]}`,
        `${BASE}/documents?sort=filename`,
      ]) {
        const [left, right] = await twins.ask({ method: 'GET', path }, boss)
        expect([left.status, right.status]).toEqual([200, 200])
        expect(seen(left)).not.toEqual(seen(right))
      }
      const [left, right] = await twins.ask({ method: 'GET', path: `${BASE}/documents` }, boss)
      expect(left.body.data.items.length).not.toBe(right.body.data.items.length)
    })

    for (const who of ['nobody', 'guest', 'clerk'])
      it(`change no byte of any answer to ${who}`, { timeout: 600_000 }, async () => {
        const codes = new Map<number, number>()
        for (const question of fc.sample(questions(known), { numRuns: REQUESTS, seed: SEED })) {
          const [left, right] = await twins.ask(question, known.tokens[who])
          expect(seen(right), JSON.stringify(question)).toEqual(seen(left))
          expect(left.status, JSON.stringify(question)).toBeLessThan(500)
          codes.set(left.status, (codes.get(left.status) ?? 0) + 1)
        }
        // The requests really reach what they are meant to reach.
        const taken = (codes.get(200) ?? 0) + (codes.get(201) ?? 0) + (codes.get(204) ?? 0)
        expect(taken, JSON.stringify([...codes])).toBeGreaterThan(REQUESTS / (who === 'nobody' ? 20 : 3))
      })

    it('are not found by sending what a field may hold that takes it no more', async () => {
      const stricter = gallery('2', ', accept: pdf')
      await twins.each((server) => server.submit(stricter))
      for (const id of known.works.slice(0, 4))
        for (const proof of known.items) {
          const [left, right] = await twins.ask(
            { method: 'PATCH', path: `${WORKS}/${id}`, body: { proof } },
            known.tokens['clerk'],
          )
          expect(seen(right)).toEqual(seen(left))
          expect([403, 404, 422]).toContain(left.status)
        }
      // Who may read the field may leave it as it is.
      const [first] = known.works
      const [left] = await twins.ask({ method: 'GET', path: `${WORKS}/${first}` }, known.tokens['boss'])
      const { proof } = left.body.data
      const kept = await twins.each((server, side) =>
        side === 'left'
          ? server.request('PATCH', `${WORKS}/${first}`, { token: known.tokens['boss']!, body: { proof } })
          : Promise.resolve({ status: 200 }),
      )
      expect(kept[0].status).toBe(200)
    })
  })

/** Requests over every way that leads to works, items and documents. */
function questions({ works, items, documents }: Known): fc.Arbitrary<Question> {
  const work = fc.constantFrom(...works)
  const item = fc.constantFrom(...items)
  const document = fc.constantFrom(...documents)
  const template = fc.constantFrom('slip', 'slip', 'page', 'page', 'closed', 'hung', 'none')
  const values = fc.oneof(
    fc.constantFrom(...items, ...works),
    fc.constantFrom('0,0,9,9', '20,20,30,30', '', 'Work 1', 'true', JSON.stringify(point(5, 5))),
    fc.constantFrom(
      JSON.stringify({
        type: 'LineString',
        coordinates: [
          [0, 0],
          [30, 30],
        ],
      }),
      JSON.stringify({
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [9, 0],
            [9, 9],
            [0, 9],
            [0, 0],
          ],
        ],
      }),
    ),
  )
  const spatial = fc
    .record({
      field: fc.constantFrom('place', 'hideout', 'route', 'title', 'nothing'),
      operator: fc.constantFrom('bbox', 'intersects', 'within', 'null'),
      value: values,
      simplify: fc.constantFrom('', '0', '5', 'x'),
    })
    .map(
      ({ field, operator, value, simplify }) =>
        `?${new URLSearchParams({ [`filter[${field}][${operator}]`]: value, ...(simplify && { simplify }) })}`,
    )
  const query = fc.oneof(
    queries({ fields: FIELDS, relationships: ['room', 'works', 'nothing'], values }),
    spatial,
    spatial,
  )
  const places = fc.oneof(
    fc.constantFrom(WORKS, `${WORKS}/count`, `${WORKS}/export`, ROOMS, `${WORKS}/distinct/title`),
    fc.constantFrom('proof', 'hideout', 'cover').map((name) => `${WORKS}/distinct/${name}`),
    work.map((id) => `${WORKS}/${id}`),
    work.map((id) => `${WORKS}/${id}/versions`),
    work.map((id) => `${WORKS}/${id}/audit`),
    fc.constant(`${ROOMS}?include=works`),
  )
  const library = fc.oneof(
    fc
      .constantFrom('', '?orphans=true', '?search=b', '?mime_type=image/*', '?sort=size&limit=2')
      .map((asked) => `${BASE}/media${asked}`),
    fc.constant(`${BASE}/media/orphans`),
    item.map((id) => `${BASE}/media/${id}`),
  )
  const papers = fc.oneof(
    fc
      .constantFrom('', '?template=closed', '?format=html', '?limit=1', '?resource=Work', '?sort=filename')
      .map((asked) => `${BASE}/documents${asked}`),
    work.map((id) => `${BASE}/documents?recordId=${id}`),
    document.map((id) => `${BASE}/documents/${id}`),
    document.map((id) => `${BASE}/documents/${id}/download`),
    template.map((name) => `${BASE}/templates/${name}`),
    fc.constant(`${BASE}/templates`),
  )
  const get = (path: string): Question => ({ method: 'GET', path })
  const made = fc
    .tuple(
      template,
      fc.constantFrom('preview', 'preview', 'generate'),
      work,
      fc.constantFrom(undefined, 'Work 4'),
    )
    .map(([name, what, recordId, word]): Question => ({
      method: 'POST',
      path: `${BASE}/templates/${name}/${what}`,
      body: { recordId, ...(word !== undefined && name === 'slip' && { word }) },
    }))
  const upload = fc
    .constantFrom(
      ['image/svg+xml', SVG(7)],
      ['image/png', 'no picture'],
      ['text/html', '<p>'],
      ['text/plain', 'x'],
    )
    .map(([type = '', content = '']): Question => ({
      method: 'POST',
      path: `${BASE}/media/upload?filename=b&mime_type=${encodeURIComponent(type)}`,
      headers: RAW,
      body: rawForm([
        ['Content-Disposition: form-data; name="f"; filename="b"', `Content-Type: ${type}`],
        content,
      ]),
    }))
  // What a value takes the place of counts for the items of both: `proof` is written where there was none before.
  const written = fc.record(
    {
      title: fc.constantFrom('Work 1', 'New'),
      cover: fc.option(item),
      files: fc.array(item, { maxLength: 2 }),
      place: fc.constantFrom(point(1, 1), null),
      hideout: fc.constant(point(2, 2)),
    },
    { requiredKeys: ['title'] },
  )
  return fc.oneof(
    { weight: 5, arbitrary: reads(places, query) },
    { weight: 3, arbitrary: library.map(get) },
    { weight: 3, arbitrary: papers.map(get) },
    { weight: 3, arbitrary: made },
    { weight: 1, arbitrary: upload },
    { weight: 1, arbitrary: item.map((id) => ({ method: 'DELETE', path: `${BASE}/media/${id}` })) },
    {
      weight: 1,
      arbitrary: fc
        .subarray([...items], { minLength: 1 })
        .map((ids) => ({ method: 'POST', path: `${BASE}/media/bulk-delete`, body: { ids } })),
    },
    { weight: 1, arbitrary: document.map((id) => ({ method: 'DELETE', path: `${BASE}/documents/${id}` })) },
    {
      weight: 1,
      arbitrary: asked(
        'PATCH',
        work.map((id) => `${WORKS}/${id}`),
        written,
      ),
    },
    {
      weight: 1,
      arbitrary: asked(
        'POST',
        fc.constant(WORKS),
        fc.tuple(written, item).map(([one, proof]) => ({ ...one, proof })),
      ),
    },
  )
}

/** Fills both servers: each item has as many references on either side, from other records and other fields. */
async function settle(twins: Twins): Promise<Known> {
  const account = async (name: string, roles: readonly string[]) =>
    (await twins.each((server) => server.account(name, roles)))[0]
  const [guest, clerk, boss] = [
    await account('guest', []),
    await account('clerk', ['clerk']),
    await account('boss', ['boss']),
  ]
  const call = (server: TestKernel) => server.kernel.callAs(SYSTEM)
  const idOf = ([left, right]: readonly [any, any]): string => {
    expect(right.id).toBe(left.id)
    return left.id
  }
  const items: string[] = []
  for (let at = 0; at < 4; at++) {
    const name = `b${at}.svg`
    const answers = await twins.ask(
      {
        method: 'POST',
        path: `${BASE}/media/upload?filename=${name}&mime_type=image/svg%2Bxml`,
        headers: RAW,
        body: rawForm([[`Content-Disposition: form-data; name="f"; filename="${name}"`], SVG(8 + at)]),
      },
      boss.token,
    )
    items.push(idOf([answers[0].body.data, answers[1].body.data]))
  }
  const room = idOf(
    await twins.each((server) => call(server)('svc.gallery.room.create', { data: { title: 'hall' } }) as any),
  )
  const works: string[] = []
  for (let at = 0; at < WORK_COUNT; at++) {
    const isShared = at % 2 === 0
    // What is not shared, and what nobody but a boss reads, is another on either side.
    const secret = (side: Side) => (side === 'left' ? at : WORK_COUNT - 1 - at)
    const data = (side: Side) => ({
      title: isShared ? `Work ${at}` : `Hidden ${side}`,
      shared: isShared,
      roomId: room,
      place: isShared ? point(at, at) : point(secret(side), 40),
      cover: isShared ? items[0] : null,
      proof: items[1 + (secret(side) % 2)],
      files: secret(side) < 4 ? [items[0]] : [],
      logo: SVG(10 + secret(side)),
      hideout: side === 'left' && at < 4 ? point(5, 5) : point(25, 25 + secret(side)),
      route: {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, secret(side)],
          [2, 0],
        ],
      },
      createdById: boss.id,
    })
    works.push(
      idOf(
        await twins.each(
          (server, side) => call(server)('svc.gallery.work.create', { data: data(side) }) as any,
        ),
      ),
    )
  }
  const documents: string[] = []
  const generate = async (template: string, recordId: string, by: string) => {
    const answers = await twins.ask(
      { method: 'POST', path: `${BASE}/templates/${template}/generate`, body: { recordId } },
      by,
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    documents.push(answers[0].body.data.id)
  }
  await generate('slip', works[0]!, clerk.token)
  await generate('page', works[2]!, clerk.token)
  await generate('closed', works[0]!, boss.token)
  await generate('hung', works[1]!, boss.token)
  await generate('slip', works[4]!, guest.token)
  // One side alone has this one.
  await twins.each((server, side) =>
    side === 'left'
      ? server.request('POST', `${BASE}/templates/closed/generate`, {
          token: boss.token,
          body: { recordId: works[3] },
        })
      : Promise.resolve(undefined),
  )
  return { works, items, documents, tokens: { guest: guest.token, clerk: clerk.token, boss: boss.token } }
}
