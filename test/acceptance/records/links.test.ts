import { DomainsCapability } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DEFINITION = `
domain:
  name: web
  version: '1.0.0'
  resources:
    Post:
      object: { title: string, deletedAt: datetime }
      features: { softDelete: true }
      relationships:
        tags: { type: belongsToMany, target: Tag, timestamps: true }
        readers: { type: belongsToMany, target: Reader }
      permissions: ${OPEN}
    Tag:
      object: { name: string }
      relationships:
        posts: { type: belongsToMany, target: Post, timestamps: true }
        near: { type: belongsToMany, target: Tag, through: TagNear, otherKey: otherId }
      permissions: ${OPEN}
    Reader:
      object: { name: string }
      permissions: { list: ['*'], get: [boss], create: ['*'], update: ['*'], delete: ['*'] }
`
const POSTS = '/api/v1/web/posts'
const TAGS = '/api/v1/web/tags'
const READERS = '/api/v1/web/readers'
const NOBODY = '0190b3c4-0000-7000-8000-00000000beef'

for (const store of STORES) {
  describe(`links between records on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    let ann: TestAccount

    beforeAll(async () => {
      ann = await server().account('ann')
    })

    const send = (method: string, path: string, body?: unknown, headers = {}) =>
      server().request(method, path, { token: ann.token, headers, ...(body !== undefined && { body }) })
    const make = async (path: string): Promise<string> => (await send('POST', path, {})).body.data.id
    const pair = async () => {
      const [post, tag] = [await make(POSTS), await make(TAGS)]
      expect((await send('POST', `${POSTS}/${post}/tags`, { tagId: tag })).status).toBe(200)
      return { post, tag }
    }
    const ids = async (path: string) =>
      (await send('GET', path)).body.data.items.map(({ id }: { id: string }) => id)
    const junction = async (name: string) => {
      const found = server()
        .kernel.get(DomainsCapability)
        .model('web')!
        .tables.find((one) => one.name === name)!
      return server()
        .kernel.get(StoreCapability)
        .count({ table: found, where: { op: 'always' } })
    }

    it('never lead to a deleted record, and are found again when that is restored', async () => {
      const { post, tag } = await pair()
      await send('DELETE', `${POSTS}/${post}`)
      expect(await ids(`${TAGS}/${tag}/posts`)).toEqual([])
      expect((await send('GET', `${TAGS}/${tag}?include=posts`)).body.data.posts).toEqual([])
      expect((await send('GET', `${TAGS}?include=posts&filter[id]=${tag}`)).body.data.items[0].posts).toEqual(
        [],
      )
      expect((await send('GET', `${POSTS}/${post}/tags`)).status).toBe(404)
      await send('POST', `${POSTS}/${post}/restore`)
      expect(await ids(`${TAGS}/${tag}/posts`)).toEqual([post])
      expect(await ids(`${POSTS}/${post}/tags`)).toEqual([tag])
    })

    it('go with a record that is deleted for good, on both sides', async () => {
      const { post, tag } = await pair()
      const other = await make(TAGS)
      await send('POST', `${TAGS}/${tag}/near`, { otherId: other })
      await send('POST', `${TAGS}/${other}/near`, { otherId: tag })
      await send('POST', `${TAGS}/${tag}/near`, { otherId: tag })
      const before = await junction('web_post_tag')
      expect(await junction('web_tag_near')).toBe(3)
      expect((await send('DELETE', `${TAGS}/${tag}`)).status).toBe(204)
      expect(await junction('web_post_tag')).toBe(before - 1)
      expect(await junction('web_tag_near')).toBe(0)
      expect(await ids(`${POSTS}/${post}/tags`)).toEqual([])
    })

    it('do not come back to a record that is made again under the same key', async () => {
      const { post, tag } = await pair()
      await send('DELETE', `${TAGS}/${tag}`)
      await send('POST', TAGS, { id: tag })
      expect(await ids(`${POSTS}/${post}/tags`)).toEqual([])
    })

    it('may be asked for any number of times at once', async () => {
      const [post, tag] = [await make(POSTS), await make(TAGS)]
      const heard: unknown[] = []
      const off = server().kernel.bus.on('svc.web.post.linked', (event) => heard.push(event))
      const ask = () => send('POST', `${POSTS}/${post}/tags`, { tagId: tag })
      const answers = await Promise.all(Array.from({ length: 12 }, ask))
      const linked = { linked: true, postId: post, tagId: tag }
      expect(answers.map(({ status, body }) => [status, body.data])).toEqual(Array(12).fill([200, linked]))
      expect(await ids(`${POSTS}/${post}/tags`)).toEqual([tag])
      expect(heard).toHaveLength(1)
      off()
      const drop = () => send('DELETE', `${POSTS}/${post}/tags/${tag}`)
      for (const { status, body } of await Promise.all([drop(), drop()]))
        expect([status, body.data.unlinked]).toEqual([200, true])
      expect(await ids(`${POSTS}/${post}/tags`)).toEqual([])
    })

    it('are made once under an Idempotency-Key', async () => {
      const { post, tag } = await pair()
      const key = { 'idempotency-key': 'link-1' }
      const ask = (tagId: string) => send('POST', `${POSTS}/${post}/tags`, { tagId }, key)
      expect((await ask(tag)).headers.get('idempotency-replayed')).toBeNull()
      await send('DELETE', `${POSTS}/${post}/tags/${tag}`)
      const again = await ask(tag)
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
      expect(await ids(`${POSTS}/${post}/tags`)).toEqual([])
      const { status, body } = await ask(await make(TAGS))
      expect([status, body.error_code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    })

    it('are refused to what is not there, and to what the caller may not read', async () => {
      const { post } = await pair()
      const reader = await make(READERS)
      const outcome = async (path: string, body: unknown) => {
        const answer = await send('POST', path, body)
        return [answer.status, answer.body.error_code]
      }
      expect(await outcome(`${POSTS}/${post}/tags`, { tagId: NOBODY })).toEqual([404, 'NOT_FOUND'])
      expect(await outcome(`${POSTS}/${post}/tags`, { tagId: 7 })).toEqual([404, 'NOT_FOUND'])
      expect(await outcome(`${POSTS}/${NOBODY}/tags`, { tagId: NOBODY })).toEqual([404, 'NOT_FOUND'])
      expect(await outcome(`${POSTS}/${post}/readers`, { readerId: reader })).toEqual([403, 'FORBIDDEN'])
      for (const body of [{}, { tagId: null }, [], '"x"'])
        expect(await outcome(`${POSTS}/${post}/tags`, body)).toEqual([422, 'VALIDATION_ERROR'])
    })

    it('are made by the service itself as well', async () => {
      const [post, tag] = [await make(POSTS), await make(TAGS)]
      const call = server().kernel.callAs(SYSTEM)
      await call('svc.web.post.tags.link', { id: post, data: { tagId: tag } })
      expect(await ids(`${POSTS}/${post}/tags`)).toEqual([tag])
      await call('svc.web.post.tags.unlink', { id: post, data: { tagId: tag } })
      expect(await ids(`${POSTS}/${post}/tags`)).toEqual([])
    })

    it('are never made to a record that is deleted at the same moment', async () => {
      for (let round = 0; round < 8; round += 1) {
        const [post, tag] = [await make(POSTS), await make(TAGS)]
        const before = await junction('web_post_tag')
        const [made] = await Promise.all([
          send('POST', `${POSTS}/${post}/tags`, { tagId: tag }),
          send('DELETE', `${TAGS}/${tag}`),
        ])
        expect([200, 404]).toContain(made.status)
        expect(await junction('web_post_tag')).toBe(before)
      }
    })
  })

  describe(`slugs made at the same moment on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: `
domain:
  name: blog
  version: '1.0.0'
  resources:
    Post:
      object: { title: string, slug: { type: slug, from: title, unique: true, required: true } }
      permissions: { list: ['*'], create: ['*'] }
`,
    })
    const path = '/api/v1/blog/posts'

    it('differ, one by one and in bulk', async () => {
      const send = (url: string, body: unknown) => server().request('POST', url, { body })
      const single = await Promise.all(Array.from({ length: 12 }, () => send(path, { title: 'One day' })))
      expect(single.map(({ status }) => status)).toEqual(Array(12).fill(201))
      const items = Array.from({ length: 5 }, () => ({ title: 'One day' }))
      const bulk = await Promise.all(Array.from({ length: 4 }, () => send(`${path}/bulk`, { items })))
      expect(bulk.map(({ body }) => body.data.failed)).toEqual([0, 0, 0, 0])
      const { items: all } = (await server().request('GET', path)).body.data
      const slugs = all.map(({ slug }: { slug: string }) => slug)
      const wanted = Array.from({ length: 32 }, (_, at) => (at === 0 ? 'one-day' : `one-day-${at + 1}`))
      expect(slugs.toSorted()).toEqual(wanted.toSorted())
    })

    it('are refused where a client brings one that is taken', async () => {
      const body = { title: 'x', slug: 'mine' }
      const answers = await Promise.all([1, 2, 3].map(() => server().request('POST', path, { body })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    })
  })
}
