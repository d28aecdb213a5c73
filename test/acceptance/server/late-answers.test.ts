import { setTimeout as delay } from 'node:timers/promises'
import { definePlugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const TIMEOUT_MS = 1500
const DESK = `
domain:
  name: desk
  version: '1'
  resources:
    Letter:
      object: { text: string }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
      api:
        customOperations:
          - { name: send, permissions: [admin], fields: { text: sent } }
          - { name: seal, method: PATCH, permissions: [admin], fields: { text: sealed } }
          - { name: weigh, method: GET, permissions: [admin] }
`

/** Takes longer over operations than a request may, and over an action that looks at no key. */
const slow = definePlugin({
  name: 'slow',
  phase: 'domain',
  setup({ actions, bus, onStop }) {
    for (const name of ['send', 'seal', 'weigh'])
      onStop(bus.on(`svc.desk.letter.${name}`, () => delay(TIMEOUT_MS + 500)))
    actions.add({
      name: 'slow.ring',
      access: ['admin'],
      routes: ['POST /api/v1/ring'],
      handle: () => delay(TIMEOUT_MS + 500),
    })
  },
})

for (const store of STORES) {
  describe(`answers that come too late on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: DESK,
      plugins: [slow],
      config: { rest: { port: 0, request_timeout_ms: TIMEOUT_MS } },
    })
    const letter = async () => {
      const { body } = await server().request('POST', '/api/v1/desk/letters', { body: { text: 'new' } })
      return `/api/v1/desk/letters/${body.data.id}`
    }
    const text = async (path: string) => (await server().request('GET', path)).body.data.text
    const told = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const { status, body } = await server().request(method, path, {
        token: server().admin,
        headers,
        ...(method !== 'GET' && { body: {} }),
      })
      return [status, body.error_code, body.error_message]
    }

    it('[2.5] say of a write that it may still be carried out, and it is', async () => {
      const path = await letter()
      expect(await told('POST', `${path}/send`)).toEqual([
        503,
        'UNAVAILABLE',
        "No answer in 1500 ms: it may still be carried out. Look whether it was before you repeat it; a POST with an 'Idempotency-Key' can be repeated with the same key",
      ])
      await expect.poll(() => text(path), { timeout: 5000 }).toBe('sent')
    })

    it('[2.5] [2.9] say of one with a key that it can be repeated with the same, and it is done once', async () => {
      const path = await letter()
      const headers = { 'Idempotency-Key': `late-${store.name}` }
      expect(await told('POST', `${path}/send`, headers)).toEqual([
        503,
        'UNAVAILABLE',
        "No answer in 1500 ms: it may still be carried out. Repeat it with the same 'Idempotency-Key', or look whether it was",
      ])
      await expect.poll(() => text(path), { timeout: 5000 }).toBe('sent')
      const options = { token: server().admin, headers, body: {} }
      const again = await server().request('POST', `${path}/send`, options)
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    })

    it('[2.5] [2.9] say nothing of a key where nobody looks at it', async () => {
      const path = `${await letter()}/seal`
      for (const headers of [{}, { 'Idempotency-Key': `late-${store.name}-other` }])
        for (const [method, address] of [
          ['POST', '/api/v1/ring'],
          ['PATCH', path],
        ] as const)
          expect(await told(method, address, headers)).toEqual([
            503,
            'UNAVAILABLE',
            'No answer in 1500 ms: it may still be carried out. Look whether it was before you repeat it',
          ])
    })

    it('[2.5] say of a read that it may be tried again', async () => {
      const path = await letter()
      expect(await told('GET', `${path}/weigh`)).toEqual([
        503,
        'UNAVAILABLE',
        'No answer in 1500 ms: try again',
      ])
    })
  })
}
