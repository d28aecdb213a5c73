import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/shop'
/** What is sent of related records. */
const BODY = {
  name: '$record.name',
  customer: '$record.customer.name',
  whole: '$record.customer',
  text: 'to {customer.name}',
  wage: '$record.customer.wage',
  rich: "$(if(customer.wage > 5000, 'rich', 'poor'))",
  city: '$record.customer.city.name',
  formula: '$record.called',
  comment: '$(first(comments.text))',
  comments: '$(count(comments))',
  tags: "$(count(tags, text startsWith 'r'))",
  notes: '$(count(notes))',
  keeper: '$record.keeper.username',
  address: '$record.keeper.email',
}
const ANY = ['*']
const of = (object: object, permissions: object, more: object = {}) => ({ object, permissions, ...more })
const SHOP = JSON.stringify({
  domain: {
    name: 'shop',
    version: '1',
    resources: {
      City: of({ name: 'string' }, { list: ['boss'], get: ['boss'], create: ANY }),
      Customer: of(
        { name: 'string', wage: 'decimal', userId: 'uuid' },
        {
          list: ['owner', 'boss'],
          get: ['owner', 'boss'],
          create: ANY,
          fields: { wage: { read: ['boss'] } },
        },
        { relationships: { city: { type: 'belongsTo', target: 'City' } } },
      ),
      Comment: of(
        { text: 'string' },
        { list: ['boss'], get: ['boss'], create: ANY },
        { relationships: { task: { type: 'belongsTo', target: 'Task' } } },
      ),
      Tag: of(
        { text: 'string' },
        { list: ['clerk', 'boss'], get: ['clerk', 'boss'], create: ANY },
        { relationships: { task: { type: 'belongsTo', target: 'Task' } } },
      ),
      Note: of(
        { text: 'string', userId: 'uuid' },
        { list: ['owner', 'boss'], get: ['owner', 'boss'], create: ANY },
        { relationships: { task: { type: 'belongsTo', target: 'Task' } } },
      ),
      Task: of(
        { name: 'string', called: { type: 'string', computed: 'customer.name' } },
        { list: ['clerk', 'boss'], get: ['clerk', 'boss'], create: ANY },
        {
          relationships: {
            customer: { type: 'belongsTo', target: 'Customer' },
            keeper: { type: 'belongsTo', target: 'User' },
            comments: { type: 'hasMany', target: 'Comment', foreignKey: 'taskId' },
            tags: { type: 'hasMany', target: 'Tag', foreignKey: 'taskId' },
            notes: { type: 'hasMany', target: 'Note', foreignKey: 'taskId' },
          },
        },
      ),
    },
    integrations: {
      far: {
        type: 'rest',
        baseUrl: 'https://far.example.org',
        permissions: { execute: ['clerk', 'boss'] },
        operations: {
          push: {
            resource: 'Task',
            include: ['customer'],
            method: 'POST',
            path: '/x',
            query: { q: '$record.customer.name' },
            headers: { 'X-Name': '$record.customer.name' },
            body: BODY,
          },
        },
      },
      mail: {
        type: 'smtp',
        host: 'mail.example.org',
        from: 'shop@example.org',
        permissions: { execute: ['clerk', 'boss'] },
        operations: {
          push: {
            resource: 'Task',
            to: 'ann@example.org',
            subject: 'to {customer.name}',
            text: '{first(comments.text)}',
          },
        },
      },
    },
  },
})

for (const store of STORES) {
  describe(`what a dry run shows of related records on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP, config: { jobs: { enabled: false } } })
    let clerk: TestAccount
    let boss: TestAccount
    const make = async (path: string, body: object): Promise<string> => {
      const made = await server().request('POST', `${BASE}/${path}`, { token: server().admin, body })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      return made.body.data.id
    }
    const dry = async (name: string, recordId: string, { token }: TestAccount) => {
      const path = `${BASE}/integrations/${name}/operations/push`
      const { status, body } = await server().request('POST', path, {
        token,
        body: { recordId, dryRun: true },
      })
      expect(status, JSON.stringify(body)).toBe(200)
      return body.data.request
    }
    /** A task of a customer, with one of everything that leads to it. */
    const task = async (owner: TestAccount | undefined, keeper: TestAccount) => {
      const userId = owner?.id ?? null
      const cityId = await make('cities', { name: 'Ely' })
      const customerId = await make('customers', { name: 'Ann', wage: 5512, userId, cityId })
      const taskId = await make('tasks', { name: 't', customerId, keeperId: keeper.id })
      await make('comments', { text: 'private', taskId })
      await make('tags', { text: 'red', taskId })
      await make('notes', { text: 'n', taskId, userId })
      return taskId
    }

    beforeAll(async () => {
      clerk = await server().account('clara', ['clerk'])
      boss = await server().account('bob', ['boss'])
    })

    it('6.6: an entry that reads what the caller may not get or list shows ***', async () => {
      const taskId = await task(boss, boss)
      const shown = await dry('far', taskId, clerk)
      expect(shown.body).toEqual({
        ...Object.fromEntries(Object.keys(BODY).map((name) => [name, '***'])),
        name: 't',
        tags: 1,
        keeper: 'bob',
      })
      expect(JSON.stringify(shown)).not.toMatch(/Ann|private|5512/)
      expect(JSON.stringify(await dry('mail', taskId, clerk))).not.toMatch(/to Ann|private/)
    })

    it('6.6: shows what is sent to whoever may see all of it', async () => {
      const taskId = await task(undefined, boss)
      const shown = await dry('far', taskId, boss)
      expect(shown.body).toMatchObject({
        customer: 'Ann',
        whole: { name: 'Ann', wage: 5512 },
        text: 'to Ann',
        wage: 5512,
        rich: 'rich',
        city: 'Ely',
        formula: 'Ann',
        comment: 'private',
        comments: 1,
        tags: 1,
        notes: 1,
        keeper: 'bob',
        address: expect.stringContaining('bob'),
      })
      expect(shown.url).toBe('https://far.example.org/x?q=Ann')
      expect(shown.headers).toMatchObject({ 'x-name': 'Ann' })
      expect(await dry('mail', taskId, boss)).toMatchObject({ subject: 'to Ann' })
    })

    it('6.6: a record of the caller is shown, and so is that there is none', async () => {
      const own = await dry('far', await task(clerk, clerk), clerk)
      expect(own.body).toMatchObject({
        customer: 'Ann',
        text: 'to Ann',
        formula: 'Ann',
        wage: '***',
        city: '***',
        comments: '***',
        keeper: 'clara',
        address: expect.stringContaining('clara'),
      })
      const none = await dry('far', await make('tasks', { name: 'alone', keeperId: clerk.id }), clerk)
      expect(none.body).toMatchObject({
        customer: null,
        tags: 0,
        comment: '***',
        comments: '***',
        notes: '***',
      })
    })
  })
}
