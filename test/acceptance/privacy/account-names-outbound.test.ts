import { HttpServerCapability } from '@svc/rest/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { type Sink, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { startTokenServer, type TokenServer } from '../integrations/token-server.ts'
import { about, BASE, clinic } from './practice.ts'

const integrations = (sink: Sink, issuer: TokenServer) => `
  integrations:
    courier:
      type: rest
      baseUrl: '${sink.url}'
      operations: { ask: {}, tell: { method: POST, body: { text: 'text' }, retry: { maxAttempts: 1 } } }
    partner:
      type: rest
      baseUrl: '${sink.url}'
      auth:
        type: oauth2_authorization_code
        tokenUrl: '${issuer.url}/token'
        authorizationUrl: '${issuer.url}/authorize'
        clientId: clinic
      operations: { ask: {} }
`

for (const store of STORES) {
  describe(`the name of an account in what leaves, on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: {
        outbound: { allow_private: ['127.0.0.1'] },
        jobs: { enabled: false },
        integrations: { public_url: 'https://clinic.example/' },
      },
    })
    let sink: Sink
    let issuer: TokenServer
    beforeAll(async () => {
      issuer = await startTokenServer()
      sink = await startSink(({ method }) => ({ status: method === 'POST' ? 500 : 200 }))
      await server().submit(clinic() + integrations(sink, issuer))
    })
    afterAll(async () => {
      await sink.stop()
      await issuer.stop()
    })

    const as = (token: string) => async (method: string, path: string, body?: object, headers?: object) => {
      const sent = { token, ...(body && { body }), headers: { ...headers } }
      const { status, body: answer } = await server().request(method, path, sent)
      return { status, data: answer?.data }
    }
    /** Those of our tables that have a word. */
    const tablesWith = async (word: string) =>
      [...(await rowsKept(server().database))].flatMap(([table, rows]) =>
        rows.includes(word) && !table.startsWith('svc_audit') ? [table] : [],
      )
    const consented = async (authorizationUrl: string) => {
      const { fetch, url } = server().kernel.get(HttpServerCapability)
      const path = `${BASE}/integrations/partner/oauth/callback?${issuer.consent(authorizationUrl)}`
      return (await fetch(new Request(new URL(path, url())))).status
    }

    it('P14: becomes the pseudonym in runs, letters, the log and connections of integrations and at endpoints of webhooks', async () => {
      const person = await server().account('canaryout', ['dpo', 'admin'])
      const [own, other] = [as(person.token), as((await server().account('keeper', ['dpo', 'admin'])).token)]
      const operate = (name: string, by = own) =>
        by('POST', `${BASE}/integrations/courier/operations/${name}`, {})
      await own('POST', `${BASE}/patients`, { name: 'Somebody', email: 'canaryout@example.org' })
      expect((await operate('ask')).status).toBe(200)
      expect((await operate('ask', other)).status).toBe(200)
      expect((await operate('tell')).status).toBe(502)
      const later = await own(
        'POST',
        `${BASE}/integrations/courier/operations/ask`,
        {},
        { prefer: 'respond-async' },
      )
      expect(later.status).toBe(202)
      const [letter] = (await own('GET', `${BASE}/integrations/courier/deadletter`)).data.items
      await own('POST', `${BASE}/integrations/courier/deadletter/${letter.id}/retry`, {})
      const connecting = async () =>
        (await own('POST', `${BASE}/integrations/partner/oauth/connect`, {})).data.authorizationUrl
      expect(await consented(await connecting())).toBe(200)
      const late = await connecting()
      const hook = { url: `${sink.url}/hook`, events: ['svc.clinic.*'], as: 'canaryout' }
      expect((await own('POST', '/api/v1/admin/webhooks', hook)).status).toBe(201)
      expect(await tablesWith('canaryout')).toEqual(
        expect.arrayContaining([
          'clinic__integrations__runs',
          'clinic__integrations__log',
          'clinic__integrations__connections',
          'svc_webhook_endpoints',
        ]),
      )

      const erased = await other('POST', about('canaryout@example.org', '/erase'), {
        reason: 'asked',
        account: true,
      })
      expect(erased.status).toBe(200)
      expect(await tablesWith('canaryout')).toEqual([])
      const { items } = (await other('GET', `${BASE}/integrations/courier/log`)).data
      const told = items.map((entry: { readonly triggeredBy: string }) => entry.triggeredBy)
      const pseudonym = told.find((one: string) => one.startsWith('manual:p-')).slice('manual:'.length)
      expect(pseudonym).toMatch(/^p-[a-z2-7]{16}$/)
      expect(told.toSorted()).toEqual(
        [`manual:${pseudonym}`, `manual:${pseudonym}`, 'manual:keeper', `retry:${pseudonym}`].toSorted(),
      )
      const connection = () => other('GET', `${BASE}/integrations/partner/oauth`)
      expect((await connection()).data).toMatchObject({ connected: true, connectedBy: pseudonym })
      const [endpoint] = (await other('GET', '/api/v1/admin/webhooks')).data.items
      expect(endpoint).toMatchObject({ as: pseudonym, status: 'paused' })
      // What the account had begun is ended by nobody that has a name.
      expect(await consented(late)).toBe(200)
      expect((await connection()).data).toMatchObject({ connected: true, connectedBy: null })
      expect(await tablesWith('canaryout')).toEqual([])
    })
  })
}
