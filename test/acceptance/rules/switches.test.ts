import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { deskOf, OPEN } from './desk.ts'

const definition = (enabled: string, version = '1.0.0') => `
domain:
  name: shop
  version: '${version}'
  api: { aliases: [/api/store] }
  resources:
    Order:
      object: { title: string, total: integer }
      permissions: ${OPEN}
    Tag: { object: { name: string }, permissions: ${OPEN} }
  rules:
    large:
      trigger: { resource: Order, on: create }
      condition: total > 100
      action: reject
      message: Too large
      group: size
      enabled: ${enabled}
    named:
      trigger: { resource: Tag, on: create }
      condition: name == 'x'
      action: log
      message: Named
      regulation: Names act
      severity: warning
`

for (const store of STORES) {
  describe(`looking at rules, and switching them, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: definition('true') })
    const desk = deskOf(server, 'shop')
    const admin = (method: string, path: string, body?: unknown) =>
      desk.send(method, path, body, server().admin)
    const isRefused = async () => (await desk.send('POST', '/orders', { total: 101 })).status === 422

    it('A10: a switch counts at once, outlives a submit that leaves enabled alone, and null takes it back', async () => {
      expect(await isRefused()).toBe(true)
      const { status, body } = await admin('PATCH', '/rules/large', { enabled: false })
      expect([status, body.data]).toMatchObject([200, { name: 'large', enabled: false, overridden: true }])
      expect(await isRefused()).toBe(false)
      await server().submit(definition('true', '1.1.0'))
      expect(await isRefused()).toBe(false)
      const back = await admin('PATCH', '/rules/large', { enabled: null })
      expect(back.body.data).toMatchObject({ enabled: true, overridden: false })
      expect(await isRefused()).toBe(true)
    })

    it("A10: a switch ends when the definition's own enabled changes", async () => {
      await admin('PATCH', '/rules/large', { enabled: false })
      await server().submit(definition('false', '1.2.0'))
      expect((await admin('GET', '/rules/large')).body.data).toMatchObject({
        enabled: false,
        overridden: false,
      })
      await server().submit(definition('true', '1.3.0'))
      expect((await admin('GET', '/rules/large')).body.data).toMatchObject({
        enabled: true,
        overridden: false,
      })
      expect(await isRefused()).toBe(true)
    })

    it('A11: rules are told as declared, with defaults filled in, to administrators alone', async () => {
      const { body } = await admin('GET', '/rules/large')
      expect(body.data).toEqual({
        name: 'large',
        description: null,
        trigger: { resource: 'Order', on: 'create' },
        condition: 'total > 100',
        action: 'reject',
        message: 'Too large',
        messageData: {},
        severity: 'error',
        regulation: null,
        priority: 100,
        dependsOn: [],
        group: 'size',
        notification: null,
        history: false,
        enabled: true,
        overridden: false,
      })
      expect((await admin('GET', '/rules/lage')).status).toBe(404)
      const { token } = await server().account(`clerk-${store.name}`)
      for (const [method, path] of [
        ['GET', '/rules'],
        ['GET', '/rules/large'],
        ['PATCH', '/rules/large'],
        ['GET', '/rules/log'],
      ] as const) {
        const body = method === 'PATCH' ? { enabled: false } : undefined
        expect((await desk.send(method, path, body)).status).toBe(401)
        expect((await desk.send(method, path, body, token)).status).toBe(403)
      }
    })

    it.each([
      ['resource=Tag', ['named']],
      ['action=reject', ['large']],
      ['group=size', ['large']],
      ['enabled=false', []],
      ['enabled=true', ['large', 'named']],
    ])('A11: lists are narrowed by %s', async (query, names) => {
      const { body } = await admin('GET', `/rules?${query}`)
      expect(body.data.items.map(({ name }: { name: string }) => name)).toEqual(names)
    })

    it('A11: what is wrong with a switch is told', async () => {
      expect((await admin('PATCH', '/rules/large', { enabled: 'no' })).status).toBe(422)
      expect((await admin('PATCH', '/rules/large', { enabled: true, more: 1 })).status).toBe(422)
      expect((await admin('PATCH', '/rules/nobody', { enabled: true })).status).toBe(404)
    })

    it('A11: the log is narrowed by each of its filters, and to a time', async () => {
      await isRefused()
      const named = (await desk.send('POST', '/tags', { name: 'x' })).body.data.id
      const count = async (query: string) => (await admin('GET', `/rules/log?${query}`)).body.data.count
      const all = await count('limit=1000')
      const ofNamed = [
        'rule=named',
        'resource=Tag',
        `recordId=${named}`,
        'outcome=logged',
        'severity=warning',
        'regulation=Names%20act',
      ]
      for (const query of ofNamed) expect([query, await count(query)]).toEqual([query, 1])
      expect(await count('group=size')).toBe(all - 1)
      expect(await count('after=2999-01-01T00:00:00Z')).toBe(0)
      expect(await count('before=2999-01-01T00:00:00Z')).toBe(all)
      expect((await admin('GET', '/rules/log?outcome=nothing')).status).toBe(400)
      expect((await admin('GET', '/rules/log?after=yesterday')).status).toBe(400)
    })

    it('A11: the paths answer below aliases, and a resource that would lie there is refused', async () => {
      const token = server().admin
      expect((await server().request('GET', '/api/store/rules', { token })).status).toBe(200)
      const content = definition('true', '2.0.0').replace(
        'Tag: {',
        'Rule: { object: { name: string } }\n    Tag: {',
      )
      const { status, body } = await server().request('POST', '/api/v1/domains', { token, body: { content } })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toContain('api.path')
    })

    it('A11: documents tell of the windows, and of what rules do to writes', async () => {
      const { body } = await server().request('GET', '/api/v1/domains/shop/openapi.json')
      const operation = (method: string, path: string) => body.paths[`/api/v1/shop${path}`][method]
      expect(operation('post', '/orders').description).toContain('RULE_VIOLATION')
      expect(operation('post', '/orders').responses['422']).toBeDefined()
      expect(operation('patch', '/orders/{id}').description).not.toContain('RULE_VIOLATION')
      expect(operation('get', '/orders').description ?? '').not.toContain('RULE_VIOLATION')
      const parameters = operation('get', '/rules/log').parameters.map(({ name }: { name: string }) => name)
      expect(parameters).toEqual(expect.arrayContaining(['rule', 'recordId', 'outcome', 'after', 'before']))
      expect(body.components.schemas.Rule.properties.condition.description).toBeDefined()
      expect(body.components.schemas.RuleLogEntry.properties.outcome.enum).toContain('undecided')
    })

    it('A12: the bus hears of a firing after the commit, and of a reject after its entry', async () => {
      const heard: { name: string; event: Record<string, unknown> }[] = []
      const { kernel } = server()
      const hear = (name: string) =>
        kernel.bus.on(name, (event) => void heard.push({ name, event: event as never }))
      const ends = [hear('svc.shop.order.rule.large'), hear('svc.shop.tag.rule.named')]
      await isRefused()
      await desk.send('POST', '/tags', { name: 'x' })
      for (const end of ends) end()
      const log = (await desk.log()).slice(-2)
      expect(heard.map(({ name }) => name)).toEqual(['svc.shop.order.rule.large', 'svc.shop.tag.rule.named'])
      expect(heard.map(({ event }) => event)).toEqual(
        log.map((entry, at) => ({
          id: entry['id'],
          domain: 'shop',
          name: ['order.rule.large', 'tag.rule.named'][at],
          at: entry['at'],
          entry,
        })),
      )
    })
  })
}
