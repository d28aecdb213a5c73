import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { createRandom, pickWeighted, type Random } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { createProbing, type Probe } from '../blocks/probe.ts'
import { albums, FIRST, holdsItems, type Shape } from '../media/album.ts'
import { foundReferences, keptReferences } from '../media/references.ts'
import { png } from '../media/pictures.ts'
import { type Shelf, useShelf } from '../media/shelf.ts'

/** How many writes there are, from which seed, and after how many of them everything is looked through. */
const RUNS = size('MEDIA_RUNS', { smoke: 250, whole: 5000 })
const SEED = size('MEDIA_SEED', { smoke: 1, whole: 1 })
const STRIDE = size('MEDIA_STRIDE', { smoke: 10, whole: 20 })

const BASE = '/api/v1/albums'
const NOWHERE = '00000000-0000-7000-8000-000000000000'
/** Answers of writes: what is refused changes nothing. */
const SOUND = new Set([200, 201, 204, 207, 403, 404, 409, 422])

/** One writer of everything that may refer to items. */
class Chaos {
  readonly #shelf: () => Shelf
  readonly #random: Random
  readonly #setProbe: (probe: Probe) => void
  readonly #items: string[] = []
  readonly #keys: Record<string, string[]> = { albums: [], pages: [], boxes: [], things: [] }
  #count = 0
  shape: Shape = FIRST
  /** What was done last, for whoever sees a failure. */
  last = ''

  constructor(shelf: () => Shelf, random: Random, setProbe: (probe: Probe) => void) {
    this.#shelf = shelf
    this.#random = random
    this.#setProbe = setProbe
  }

  async step(): Promise<void> {
    const work = pickWeighted(this.#random, [
      [8, this.#upload],
      [6, this.#removeItem],
      [20, this.#create],
      [20, this.#change],
      [6, this.#many],
      [6, this.#remove],
      [6, this.#restore],
      [5, this.#move],
      [4, this.#revert],
      [4, this.#erase],
      [5, this.#migrate],
    ] as const)
    await work.call(this)
  }

  async #send(method: string, path: string, body?: unknown) {
    this.last = `${method} ${path} ${JSON.stringify(body)}`
    const answer = await this.#shelf().send(method, `${BASE}${path}`, body)
    if (!SOUND.has(answer.status))
      throw new Error(`${this.last}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer
  }

  async #upload() {
    this.last = 'upload'
    this.#items.push((await this.#shelf().item({ base: BASE, bytes: png(9, 9) })).id)
  }

  async #removeItem() {
    await this.#send('DELETE', `/media/${this.#item()}`)
  }

  #item(): string {
    if (this.#items.length === 0 || this.#random.chance(0.05)) return NOWHERE
    // Mostly of the last ones, so that many records refer to one item.
    return this.#random.pick(this.#items.slice(-12))
  }

  #maybe = (): string | null => (this.#random.chance(0.2) ? null : this.#item())
  #list = (): readonly string[] => Array.from({ length: this.#random.int(4) }, () => this.#item())

  #blocks(depth = 0): readonly object[] {
    return Array.from({ length: this.#random.int(3) }, () => ({
      type: 'teaser',
      data: { picture: this.#maybe(), ...(depth < 2 && { next: this.#blocks(depth + 1) }) },
    }))
  }

  #page(): object {
    const all = {
      one: this.shape.one === 'media' ? this.#maybe() : this.#list(),
      many: this.#random.chance(0.2) ? null : this.#list(),
      card: { front: this.#maybe() },
      rows: this.#list().map((picture) => ({ picture, text: this.#item() })),
      body: this.#blocks(),
    }
    return Object.fromEntries(this.#random.some(Object.entries(all), 3))
  }

  #album(): object {
    return { [this.shape.cover]: this.#maybe(), ...(this.#random.chance(0.4) && { note: this.#maybe() }) }
  }

  #values(path: string): object {
    if (path === 'albums') return this.#album()
    if (path === 'pages') return this.#page()
    return path === 'boxes' ? { cover: this.#maybe() } : { pictures: this.#list() }
  }

  #whole(path: string): object {
    const parents: Readonly<Record<string, readonly [string, string]>> = {
      pages: ['albumId', 'albums'],
      things: ['boxId', 'boxes'],
    }
    const parent = parents[path]
    const key = parent && this.#keys[parent[1]]!.length > 0 && this.#random.pick(this.#keys[parent[1]]!)
    return {
      ...(path === 'albums' && { title: `album ${(this.#count += 1)}` }),
      ...(parent && key && { [parent[0]]: key }),
      ...this.#values(path),
    }
  }

  #path = (): string => this.#random.pick(['albums', 'pages', 'pages', 'boxes', 'things'])
  #key = (path: string): string => this.#random.pick([NOWHERE, ...this.#keys[path]!.slice(-8)])

  async #create() {
    const path = this.#path()
    const { status, body } = await this.#send('POST', `/${path}`, this.#whole(path))
    if (status === 201) this.#keys[path]!.push(body.data.id)
  }

  async #change() {
    const path = this.#path()
    const isWhole = this.#random.chance(0.3)
    const values = isWhole ? this.#whole(path) : this.#values(path)
    await this.#send(isWhole ? 'PUT' : 'PATCH', `/${path}/${this.#key(path)}`, values)
  }

  async #many() {
    const path = this.#random.pick(['albums', 'pages'])
    const items = Array.from({ length: 3 }, () => this.#whole(path))
    const ids = [this.#key(path), this.#key(path)]
    const { body } = await pickWeighted(this.#random, [
      [2, () => this.#send('POST', `/${path}/bulk`, { items })],
      [2, () => this.#send('POST', `/${path}/import`, { items })],
      [
        2,
        () =>
          this.#send('POST', '/albums/bulk', {
            items: items.map((item, at) => ({ ...item, title: `album ${at + 1}`, ...this.#album() })),
            upsert: true,
            conflict: ['title'],
          }),
      ],
      [1, () => this.#send('PATCH', `/${path}/bulk`, { ids, data: this.#values(path) })],
      [1, () => this.#send('DELETE', `/${path}/bulk`, { ids })],
    ] as const)()
    for (const id of body?.data?.ids ?? []) if (typeof id === 'string') this.#keys[path]!.push(id)
  }

  async #remove() {
    const path = this.#path()
    await this.#send('DELETE', `/${path}/${this.#key(path)}`)
  }

  async #restore() {
    const path = this.#random.pick(['albums', 'pages'])
    await this.#send('POST', `/${path}/${this.#key(path)}/restore`)
  }

  async #move() {
    const what = this.#random.pick(['transitions/shut', 'transitions/open', 'clear'])
    await this.#send('POST', `/albums/${this.#key('albums')}/${what}`, {})
  }

  async #revert() {
    await this.#send('POST', `/albums/${this.#key('albums')}/revert`, { version: 1 + this.#random.int(4) })
  }

  /** What a law takes away: of a record that may be deleted too. */
  async #erase() {
    const { pages, cover } = this.shape
    const [path, name, values] = this.#random.pick([
      ['albums', 'Album', { [cover]: null }],
      ['pages', pages, { many: null, body: null }],
      ['pages', pages, { one: null, card: null, rows: null }],
    ] as const)
    const key = this.#key(path)
    this.#setProbe((data) => {
      const resource = data.model.resources.get(name)!
      return data.write({ caller: SYSTEM }, async (writes) => {
        await writes.record({ kind: 'overwrite', resource, key, values })
        await data.erase(resource, [key], writes)
      })
    })
    await this.#send('POST', `/${path}/probe`, { key, values })
  }

  async #migrate() {
    const { shape } = this
    const chosen: Partial<Shape> = this.#random.pick([
      { cover: shape.cover === 'cover' ? 'front' : 'cover' },
      { pages: shape.pages === 'Page' ? 'Leaf' : 'Page' },
      { note: shape.note === 'media' ? 'string' : 'media' },
      { one: shape.one === 'media' ? '{ type: media, maxItems: 9 }' : 'media' },
      { picture: shape.picture === 'media' ? 'string' : 'media' },
      { extra: shape.extra === undefined ? this.#item() : undefined },
      { enforce: !shape.enforce },
    ])
    this.last = `migrate ${JSON.stringify(chosen)}`
    const next = { ...shape, ...chosen }
    this.#count += 1
    const content = albums(next, String(this.#count))
    await this.#shelf().server.submit(content, { allow_destructive: true })
    this.shape = next
    if (!this.#random.chance(0.3)) return
    this.last = `rollback of ${JSON.stringify(chosen)}`
    const { status } = await this.#shelf().send('POST', '/api/v1/domains/albums/rollback', {})
    if (status === 200) this.shape = shape
  }
}

for (const store of STORES)
  describe(`references to media on ${store.name}`, () => {
    const probing = createProbing()
    const shelf = useShelf(store, albums(FIRST), {}, {}, [probing.plugin])

    it(`C2.11, C2.13: are what a look into every record finds, after ${RUNS} writes of every kind`, async () => {
      const chaos = new Chaos(shelf, createRandom(SEED), (probe) => void (probing.probe = probe))
      const { kernel } = shelf().server
      for (let run = 1; run <= RUNS; run += 1) {
        await chaos.step()
        if (run % STRIDE !== 0 && run !== RUNS) continue
        const holds = (resource: string, field: string) => holdsItems(chaos.shape, resource, field)
        const found = await foundReferences(kernel, 'albums', holds)
        expect(await keptReferences(kernel, 'albums'), `run ${run}: ${chaos.last}`).toEqual(found)
      }
      expect((await keptReferences(kernel, 'albums')).length).toBeGreaterThan(0)
    })
  })
