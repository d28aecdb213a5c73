import { describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { config, ENCRYPTION } from './clinic.ts'
import { about, ANN, BASE, clinic } from './practice.ts'

const off = (version: string, privacy = '') => clinic({ version, privacy })
const on = (version: string, more = '') => clinic({ version, privacy: `${ENCRYPTION}\n    ${more}` })
/** The same records in a domain that says nothing of privacy. */
const silent = (version: string) =>
  clinic({ version })
    .replace(/\n {2}privacy:[\s\S]*$/, '\n')
    .replaceAll(/classification: \w+,? ?/g, '')
    .replaceAll('subjectIdentifier: true', 'subjectIdentifier: false')

for (const store of STORES) {
  describe(`the key by which people are found on ${store.name}`, () => {
    const server = useTestKernel({ store, config, definition: off('1') })
    const secret = async () => (await rowsKept(server().database)).get('clinic__privacy__secrets') ?? ''
    const isSealed = async () => {
      const text = await secret()
      return text.includes('subjects') && text.includes('~sealed')
    }
    const send = (method: string, path: string, token: string, body?: unknown) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    /** Who is found by the address, and what stands for her in the log. */
    const found = async (token: string, request = server().request) => {
      const { status, body } = await request('GET', about(ANN), { token })
      const log = await request('GET', `${BASE}/privacy/log?limit=1`, { token })
      return [status, body.data?.resources.Patient?.[0].name, log.body.data?.items[0].subjectHash]
    }
    const submit = async (content: string) => {
      const { status, body } = await send('POST', '/api/v1/domains', server().admin, {
        content,
        allow_destructive: true,
      })
      expect([status < 300, body.errors]).toEqual([true, undefined])
      return JSON.stringify(body)
    }

    it('P13: is sealed while the domain has encryption, and finds the same people before, then and after', async () => {
      const { token } = await server().account('dpo', ['dpo'])
      await send('POST', `${BASE}/patients`, server().admin, { name: 'Ann', email: ANN })
      const before = await found(token)
      expect(before).toEqual([200, 'Ann', expect.stringMatching(/^[0-9a-f]{64}$/)])
      const [{ value }] = JSON.parse(await secret())
      const clear = String(value).replaceAll('"', '')
      expect(Buffer.from(clear, 'base64')).toHaveLength(32)
      const changes: readonly (readonly [content: string | undefined, isSealed: boolean])[] = [
        [on('2'), true],
        [off('3'), false],
        [on('4'), true],
        [undefined, false],
        [on('6', 'enabled: false'), true],
        [on('7'), true],
        [off('8', 'enabled: false'), false],
        [on('9'), true],
        [silent('10'), false],
        [off('11'), false],
        [silent('12'), false],
        [on('13'), true],
      ]
      for (const [content, sealed] of changes) {
        if (content === undefined) {
          const back = await send('POST', '/api/v1/domains/clinic/rollback', server().admin, {})
          expect(back.status).toBe(200)
        } else await submit(content)
        expect([content?.slice(0, 60), await isSealed()]).toEqual([content?.slice(0, 60), sealed])
        expect((await secret()).includes(clear)).toBe(!sealed)
        const isInForce = content?.includes('\n  privacy:') !== false && !content?.includes('enabled: false')
        if (isInForce) expect(await found(token)).toEqual(before)
      }
      const second = await startSecond(server().database, server().clock, [], config)
      expect(await found(token, second.request)).toEqual(before)
      await second.stop()
    })

    it('P13: that lies in the database is a warning, whatever the method', async () => {
      expect(await submit(off('20'))).toContain('lies in the database')
      expect(await submit(off('21', 'anonymization: { method: delete }'))).toContain('lies in the database')
      expect(await submit(on('22'))).not.toContain('lies in the database')
    })

    it('E6: a key that keeps sealed texts may come together with encryption', async () => {
      const box = (version: string, more: string) =>
        `domain: { name: vault, version: '${version}', ${more} resources: { Box: { object: { code: string } } } }`
      await submit(box('1', ''))
      const rules =
        'rules: { told: { trigger: { resource: Box, on: create }, condition: code != null, action: log, message: x } },'
      await submit(box('2', `${rules} privacy: { ${ENCRYPTION} },`))
    })
  })
}
