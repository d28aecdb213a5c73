import { type ByteStore, ByteStoreCapability } from '@svc/files/contract'
import { definePlugin, SYSTEM } from '@svc/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/clinic'
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
const HOUR_MS = 3_600_000
const CLINIC = `
domain:
  name: clinic
  version: '1'
  resources:
    Patient:
      object:
        name: { type: string, privacy: { pii: true } }
        papers: { type: media, maxItems: 5, privacy: { pii: true } }
        email: { type: email, unique: true, privacy: { subjectIdentifier: true } }
      permissions: ${OPEN}
  templates:
    letter: { format: markdown, data: { patient: { record: Patient } }, filename: 'For {name}', body: 'Dear {name}' }
    attached: { format: markdown, data: { patient: { record: Patient } }, attachTo: papers, body: 'Dear {name}' }
  privacy: { permissions: [admin] }
`

/** Takes bytes when `isOpen` says so. */
function slowPlace() {
  const kept = new Map<string, { readonly bytes: Buffer; readonly modifiedAt: number }>()
  const gate = { arrive: () => {}, isOpen: Promise.resolve() }
  const plugin = definePlugin({
    name: 'slowPlace',
    phase: 'domain',
    provides: ByteStoreCapability,
    setup: ({ env }): ByteStore => ({
      async put(key, bytes) {
        const chunks: Uint8Array[] = []
        for await (const chunk of bytes) chunks.push(chunk)
        gate.arrive()
        await gate.isOpen
        kept.set(key, { bytes: Buffer.concat(chunks), modifiedAt: env.now() })
      },
      open: async (key, from, length) => kept.get(key)!.bytes.subarray(from, from + length),
      remove: async (key) => void kept.delete(key),
      async *list(prefix) {
        for (const [key, { modifiedAt }] of kept) if (key.startsWith(prefix)) yield { key, modifiedAt }
      },
      stat: async (key) => kept.get(key) && { size: kept.get(key)!.bytes.length },
    }),
  })
  /** Keeps bytes waiting from now on. */
  const shut = () => {
    let open = () => {}
    gate.isOpen = new Promise((resolve) => (open = resolve))
    const arrived = new Promise<void>((resolve) => (gate.arrive = resolve))
    return { arrived, open }
  }
  return { plugin, kept, shut }
}

for (const store of STORES) {
  describe(`documents that are under way on ${store.name}`, () => {
    const place = slowPlace()
    const config = {
      files: {},
      jobs: { enabled: false },
      auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 1_000_000 } },
    }
    const server = useTestKernel({ store, definition: CLINIC, plugins: [place.plugin], config })
    const send = (method: string, path: string, body?: unknown, request = server().request) =>
      request(method, `${BASE}${path}`, { token: server().admin, ...(body !== undefined && { body }) })
    const patient = async (name: string) =>
      (await send('POST', '/patients', { name, email: `${name.toLowerCase()}@example.org` })).body.data
    const erase = (email: string, method: string) =>
      send('POST', `/privacy/subject/${email}/erase`, { method, reason: 'asked' })
    const promised = async () => (await rowsKept(server().database)).get('svc_document_promises')

    it.each(['anonymize', 'delete'])('are not kept of whom another server erases: %s', async (method) => {
      const elsewhere = slowPlace()
      const second = await startSecond(server().database, server().clock, [elsewhere.plugin], config)
      onTestFinished(() => second.stop())
      for (const template of ['letter', 'attached']) {
        const { id, email } = await patient(`${method}-${template}`)
        const { arrived, open } = elsewhere.shut()
        const path = `/templates/${template}/generate`
        const making = send('POST', path, { recordId: id }, second.request)
        await arrived
        const { status } = await erase(email, method)
        open()
        const made = await making
        expect([status, made.status, made.body.data]).toEqual([
          200,
          template === 'letter' ? 409 : made.status,
          undefined,
        ])
        expect([404, 409]).toContain(made.status)
        expect((await send('GET', '/documents')).body.data.items).toEqual([])
        expect((await send('GET', '/media')).body.data.items).toEqual([])
        expect([...elsewhere.kept.keys(), await promised()]).toEqual(['[]'])
      }
    })

    it('leave no promise, whether they are made, refused, or given up by a server that has ended', async () => {
      const { id, email } = await patient('Left')
      const generate = () => send('POST', '/templates/letter/generate', { recordId: id })
      expect([(await generate()).status, await promised()]).toEqual([201, '[]'])
      const { arrived, open } = place.shut()
      const making = generate()
      await arrived
      expect(await promised()).toContain(id)
      server().clock.advance(2 * HOUR_MS)
      await server().kernel.callAs(SYSTEM)('documents.sweep', {})
      expect(await promised()).toBe('[]')
      open()
      expect((await making).status).toBe(409)
      await erase(email, 'anonymize')
      const { status, body } = await generate()
      expect([status, body.data.filename]).toEqual([201, 'For.md'])
      expect(await promised()).toBe('[]')
    })
  })
}
