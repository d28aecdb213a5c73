import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const ORDER = {
  object: {
    title: 'string',
    total: { type: 'money', default: 0 },
    dueOn: 'date',
    email: 'string',
    tags: 'json',
    status: { type: 'string', enum: ['open', 'closed'] },
  },
  stateMachine: {
    field: 'status',
    initial: 'open',
    states: { open: { transitions: { close: { to: 'closed' } } }, closed: { final: true } },
  },
  permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] },
}
const domain = (keys: object, version = '2') =>
  JSON.stringify({ domain: { name: 'shop', version, resources: { Order: ORDER }, ...keys } }, null, 1)

const rule = (more: object) => ({
  rules: {
    it: {
      trigger: { resource: 'Order', on: 'create' },
      condition: 'total > 5',
      action: 'reject',
      message: 'No',
      ...more,
    },
  },
})
const workflow = (more: object) => ({
  workflows: {
    it: { trigger: { resource: 'Order', event: 'create' }, steps: { a: { action: 'noop' } }, ...more },
  },
})
const mail = (more: object) => ({
  notification: {
    channels: ['email'],
    recipients: { field: 'email' },
    template: { subject: 's', body: 'b' },
    ...more,
  },
})

describe('bad input', () => {
  const server = useTestKernel({ store: STORES[0]!, definition: domain({}, '1') })
  const submit = (keys: object) =>
    server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: domain(keys), allow_destructive: true },
    })

  it.each([
    // Expressions that name nothing.
    [rule({ condition: 'totl > 5' }), 'rules.it.condition', 'totl'],
    [rule({ condition: 'nobody.total > 5' }), 'rules.it.condition', 'nobody'],
    [rule({ messageData: { x: '$nothing.y' } }), 'rules.it.messageData.x', 'nothing'],
    [
      rule({ trigger: { resource: 'Order', on: 'update', condition: '$steps.a.result != null' } }),
      'rules.it.trigger.condition',
      'steps',
    ],
    [
      workflow({ trigger: { resource: 'Order', event: 'create', condition: 'colour' } }),
      'workflows.it.trigger.condition',
      'colour',
    ],
    [
      workflow({ steps: { a: { action: 'update', input: { title: '$steps.b.result' } } } }),
      'workflows.it.steps.a',
      "'b'",
    ],
    // Cycles.
    [
      {
        rules: {
          a: { ...rule({}).rules.it, dependsOn: 'b' },
          b: { ...rule({}).rules.it, dependsOn: ['a'] },
        },
      },
      'rules.a.dependsOn',
      '',
    ],
    [rule({ dependsOn: 'it' }), 'rules.it.dependsOn', ''],
    [rule({ dependsOn: 'nobody' }), 'rules.it.dependsOn', 'nobody'],
    // Durations.
    ...['30x', '-5m', '999999999d', '0s', '30', '1.5h', '90 dyas', ''].map(
      (duration) => [workflow({ timeout: { duration } }), 'workflows.it.timeout.duration', ''] as const,
    ),
    [
      workflow({ steps: { a: { wait: { timeout: { duration: '30x' } } } } }),
      'workflows.it.steps.a.wait.timeout.duration',
      '',
    ],
    [{ rules: { it: { trigger: { resource: 'Order', on: 'create' } } } }, 'rules.it.condition', ''],
    [{ rules: { log: rule({}).rules.it } }, 'rules.log', 'taken'],
    [{ workflows: { instances: workflow({}).workflows.it } }, 'workflows.instances', 'taken'],
    [workflow({ steps: {} }), 'workflows.it.steps', ''],
    [workflow({ steps: { end: { action: 'noop' } } }), 'workflows.it.steps.end', 'taken'],
    [workflow({ start: 'b' }), 'workflows.it.start', 'b'],
    [workflow({ steps: { a: { action: 'noop', then: 'b' } } }), 'workflows.it.steps.a.then', 'b'],
    [
      workflow({ steps: { a: { action: 'noop', wait: { timeout: { duration: '1d' } } } } }),
      'workflows.it.steps.a',
      '',
    ],
    [workflow({ steps: { a: {} } }), 'workflows.it.steps.a', ''],
    [workflow({ steps: { a: { decide: [] } } }), 'workflows.it.steps.a.decide', ''],
    [
      workflow({
        steps: {
          a: {
            decide: [
              { default: true, then: 'end' },
              { default: true, then: 'end' },
            ],
          },
        },
      }),
      'workflows.it.steps.a.decide',
      '',
    ],
    [workflow({ steps: { a: { parallel: { steps: ['x'] } } } }), 'workflows.it.steps.a.parallel', 'x'],
    [
      workflow({ steps: { a: { forEach: { collection: 'tags', step: 'x' } } } }),
      'workflows.it.steps.a.forEach',
      'x',
    ],
    // Notifications.
    [rule({ action: 'warn', ...mail({ channels: [] }) }), 'rules.it.notification.channels', ''],
    [rule({ action: 'warn', ...mail({ channels: ['pigeon'] }) }), 'rules.it.notification.channels.0', ''],
    [
      rule({ action: 'warn', ...mail({ template: { body: 'b' } }) }),
      'rules.it.notification.template.subject',
      '',
    ],
    [rule({ action: 'warn', ...mail({ recipients: {} }) }), 'rules.it.notification.recipients', ''],
    [
      rule({ action: 'warn', ...mail({ recipients: { field: 'emial' } }) }),
      'rules.it.notification.recipients.field',
      'emial',
    ],
    ...[
      'http://127.0.0.1/x',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://0177.0.0.1/',
      'http://[::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://169.254.169.254/latest/meta-data',
      'http://user:pass@example.org/',
      'file:///etc/passwd',
      'ftp://example.org/',
      'not a url',
    ].map(
      (url) =>
        [
          rule({ action: 'warn', ...mail({ channels: [{ type: 'webhook', url }] }) }),
          'rules.it.notification.channels.0.url',
          '',
        ] as const,
    ),
    [
      rule({
        action: 'warn',
        ...mail({ channels: [{ type: 'webhook', url: 'https://example.org', secret: 'written out' }] }),
      }),
      'rules.it.notification.channels.0.secret',
      '',
    ],
    // Resources at the paths of subsystems.
    ...(['Rule', 'Workflow'] as const).map(
      (name) =>
        [
          {
            ...rule({}),
            ...workflow({}),
            resources: { Order: ORDER, [name]: { object: { a: 'string' } } },
          },
          `resources.${name}.api.path`,
          'api.path',
        ] as const,
    ),
    [
      {
        ...rule({ action: 'warn', ...mail({}) }),
        resources: { Order: ORDER, Notification: { object: { a: 'string' } } },
      },
      'resources.Notification.api.path',
      'api.path',
    ],
  ] as readonly (readonly [object, string, string])[])('%j is PARSE_ERROR', async (keys, path, words) => {
    const { status, body } = await submit(keys)
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    const found = body.errors.find((one: { path: string }) => one.path.startsWith(`domain.${path}`))
    expect(found ?? body.errors).toMatchObject({
      message: expect.stringContaining(words),
      line: expect.any(Number),
    })
  })

  it.each(['Rule', 'Schedule', 'Workflow', 'Notification'])(
    'a resource called %s is fine where the key is not',
    async (name) => {
      const { status } = await submit({ resources: { Order: ORDER, [name]: { object: { a: 'string' } } } })
      expect(status).toBe(201)
    },
  )
})

for (const store of STORES) {
  describe(`requests on what is not there, or not theirs, on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: domain(
        {
          ...rule({ action: 'warn', ...mail({ channels: ['log'] }) }),
          ...workflow({}),
        },
        '1',
      ),
    })
    const BASE = '/api/v1/shop'
    const ids = ['nothing', '01890000-0000-7000-8000-000000000000', '%00', "'; drop table", 'x'.repeat(300)]
    const requests: readonly (readonly [string, (id: string) => string, object?])[] = [
      ['GET', (id) => `/rules/${id}`],
      ['PATCH', (id) => `/rules/${id}`, { enabled: false }],
      ['PATCH', (id) => `/workflows/${id}`, { enabled: false }],
      ['POST', (id) => `/workflows/${id}/instances`, {}],
      ['GET', (id) => `/workflows/instances/${id}`],
      ['POST', (id) => `/workflows/instances/${id}/cancel`, {}],
      ['POST', (id) => `/workflows/instances/${id}/retry`, {}],
      ['GET', (id) => `/notifications/${id}`],
      ['POST', (id) => `/notifications/${id}/resend`, {}],
    ]

    it('A11: answers 404 to administrators, whatever the name', async () => {
      for (const [method, path, body] of requests)
        for (const id of ids) {
          const answer = await server().request(method, `${BASE}${path(encodeURI(id))}`, {
            token: server().admin,
            ...(body && { body }),
          })
          expect([method, path(id), answer.status]).toEqual([
            method,
            path(id),
            id === '%00' ? expect.any(Number) : 404,
          ])
          expect(answer.status).toBeLessThan(500)
        }
    })

    it('A11: answers 401 and 403 to others, and says nothing of what is there', async () => {
      const { token } = await server().account('clerk', ['clerk'])
      for (const [method, path, body] of requests)
        for (const id of ['it', 'nothing']) {
          const ask = (more: object) =>
            server().request(method, `${BASE}${path(id)}`, { ...(body && { body }), ...more })
          expect([(await ask({})).status, (await ask({ token })).status]).toEqual([401, 403])
        }
    })

    it('A11: bad queries are 400, and counts out of range are brought into range', async () => {
      const get = async (path: string) =>
        (await server().request('GET', `${BASE}${path}`, { token: server().admin })).status
      for (const path of ['/rules/log', '/workflows/instances', '/notifications']) {
        expect([path, await get(`${path}?after=yesterday`)]).toEqual([path, 400])
        expect([path, await get(`${path}?limit=many`)]).toEqual([path, 400])
        expect([path, await get(`${path}?limit=999999`)]).toEqual([path, 200])
        expect([path, await get(`${path}?recordId=${'x'.repeat(500)}`)]).toEqual([path, 200])
        expect([path, await get(`${path}?recordId=%00`)]).toEqual([path, expect.any(Number)])
      }
      expect(await get('/workflows/instances?status=odd')).toBe(400)
    })

    it('bodies that are not what is wanted are 422', async () => {
      const post = async (path: string, body: unknown, method = 'POST') => {
        const answer = await server().request(method, `${BASE}${path}`, { token: server().admin, body })
        return [path, answer.status]
      }
      for (const body of [[], { more: 1 }, { recordId: [] }, { recordId: 'x'.repeat(300), extra: 1 }])
        expect(await post('/workflows/it/instances', body)).toEqual(['/workflows/it/instances', 422])
      for (const key of ['rules', 'workflows'])
        for (const body of [{}, { enabled: 'yes' }, { enabled: 0 }, [], { enabled: true, x: 1 }])
          expect(await post(`/${key}/it`, body, 'PATCH')).toEqual([`/${key}/it`, 422])
    })
  })
}
