import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { STILL } from './outbox.ts'
import { tell } from './tell.ts'

const shop = (notification: string, resource = 'Order') => `
domain:
  name: shop
  version: '1'
  resources:
    ${resource}:
      object: { title: string, contact: string, total: integer }
      permissions: { list: ['*'], create: ['*'] }
  tell:
    it:
      resource: ${resource}
      notification: ${notification}
`
const LOG = "{ channels: [log], template: { body: 'Hello' } }"

for (const store of STORES) {
  describe(`what is written of a notification on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [tell], config: STILL })
    const submit = async (content: string) => {
      const { request, admin } = server()
      return request('POST', '/api/v1/domains', { token: admin, body: { content, allow_destructive: true } })
    }

    it.each([
      ['no channel', '{ channels: [], template: { body: Hi } }', 'goes nowhere without a channel'],
      ['an unknown channel', '{ channels: [emial], template: { body: Hi } }', "Did you mean 'email'?"],
      ['an unknown type', '{ channels: [{ type: pigeon }], template: { body: Hi } }', "no channel 'pigeon'"],
      [
        'email without recipients',
        '{ channels: [email], template: { subject: S, body: Hi } }',
        'writes to nobody',
      ],
      [
        'email with empty recipients',
        '{ channels: [email], recipients: { roles: [] }, template: { subject: S, body: Hi } }',
        'writes to nobody',
      ],
      [
        'email without a subject',
        '{ channels: [email], recipients: { roles: [a] }, template: { body: Hi } }',
        "is needed for the channel 'email'",
      ],
      ['no body', '{ channels: [log], template: { subject: S } }', 'body'],
      ['a name that nothing has', "{ channels: [log], template: { body: 'Hi {titel}' } }", 'titel'],
      [
        'recipients in a field that is not there',
        '{ channels: [email], recipients: { field: contcat }, template: { subject: S, body: Hi } }',
        'contcat',
      ],
      [
        'recipients in an expression',
        "{ channels: [email], recipients: { field: 'upper(contact)' }, template: { subject: S, body: Hi } }",
        'no place where recipients could stand',
      ],
    ])('N1: %s is PARSE_ERROR, at its line', async (_, notification, message) => {
      const { status, body } = await submit(shop(notification))
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toContain(message)
      expect(body.errors[0].line).toBeGreaterThanOrEqual(11)
    })

    it('A11: the endpoints exist only where a notification is declared', async () => {
      const { request, admin, submit: apply } = server()
      const asked = async () => (await request('GET', '/api/v1/shop/notifications', { token: admin })).status
      expect(await asked()).toBe(404)
      await apply(shop(LOG))
      expect(await asked()).toBe(200)
      expect((await request('GET', '/api/v1/shop/notifications')).status).toBe(401)
      const { token } = await server().account('ada')
      expect((await request('GET', '/api/v1/shop/notifications', { token })).status).toBe(403)
      await apply(shop(LOG).replace(/ {2}tell:[^]*/, ''))
      expect(await asked()).toBe(404)
    })

    it('A11: a resource at their path is PARSE_ERROR, with a way out', async () => {
      const { status, body } = await submit(shop(LOG, 'Notification'))
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toContain('api.path: /notification-records')
      const moved = shop(LOG, 'Notification').replace(
        'permissions:',
        'api: { path: /notification-records }\n      permissions:',
      )
      const applied = await submit(moved)
      expect(applied).toMatchObject({ status: 201 })
      const { request, admin } = server()
      expect((await request('GET', '/api/v1/shop/notification-records')).status).toBe(200)
      expect((await request('GET', '/api/v1/shop/notifications', { token: admin })).status).toBe(200)
    })

    it('A11: they stand in the OpenAPI document, and refuse values that filters cannot have', async () => {
      const { request, admin, submit: apply } = server()
      await apply(shop(LOG), { allow_destructive: true })
      const { body } = await request('GET', '/api/v1/domains/shop/openapi.json')
      const document = body.openapi === undefined ? body.data : body
      const path = document.paths['/api/v1/shop/notifications/{id}/resend']
      expect(Object.keys(path.post.responses)).toEqual(expect.arrayContaining(['201', '404', '409']))
      expect(document.components.schemas.Notification.properties.status.enum).toEqual([
        'pending',
        'sent',
        'logged',
        'failed',
      ])
      for (const query of ['status=gone', 'after=yesterday'])
        expect(
          (await request('GET', `/api/v1/shop/notifications?${query}`, { token: admin })).body.error_code,
        ).toBe('INVALID_QUERY')
    })
  })
}
