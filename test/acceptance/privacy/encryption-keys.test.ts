import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SYSTEM } from '@svc/kernel'
import { afterEach, describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { clinic, config, ENCRYPTION, newKey, PATIENTS, sealed, sender, VARIABLE } from './clinic.ts'

const OTHER = 'CLINIC_KEYS_OTHER'
const otherKeys = ENCRYPTION.replace(VARIABLE, OTHER)
const bytes = (count: number) => randomBytes(count).toString('base64')

/** What may not be encrypted: what is written, and where that is told. */
const NEVER: readonly (readonly [what: string, object: string, more: string, path: string])[] = [
  ['a key', sealed('type: string, primaryKey: true'), '', 'object.code.privacy.encrypted'],
  ['a password', sealed('type: password'), '', 'object.code.privacy.encrypted'],
  ['a number of the service', sealed('type: autoincrement'), '', 'object.code.privacy.encrypted'],
  ['a media field', sealed('type: media'), '', 'object.code.privacy.encrypted'],
  ['a geometry', sealed('type: geometry'), '', 'object.code.privacy.encrypted'],
  [
    'a slug',
    `string\n        path: ${sealed('type: slug, from: code')}`,
    '',
    'object.path.privacy.encrypted',
  ],
  [
    'what refers to a record',
    sealed('type: uuid'),
    'relationships: { of: { type: belongsTo, target: Visit, foreignKey: code } }',
    'object.code',
  ],
  [
    'a state',
    sealed('type: string'),
    'stateMachine: { field: code, initial: a, states: { a: {} } }',
    'object.code',
  ],
  ['an owner', `string\n        createdById: ${sealed('type: uuid')}`, '', 'object.createdById'],
  [
    'what a slug is made from',
    `${sealed('type: string')}\n        path: { type: slug, from: code }`,
    '',
    'object.path',
  ],
  [
    'what a stored formula reads',
    sealed('type: string'),
    'computed: { loud: { type: string, expression: upper(code), stored: true } }',
    'computed.loud',
  ],
  ['in an index of several', sealed('type: string'), 'indexes: [{ fields: [code, name] }]', 'object.code'],
  [
    'inside of another value',
    `{ type: component, fields: { inner: ${sealed('type: string')} } }`,
    '',
    'object.code.fields.inner',
  ],
]

for (const store of STORES) {
  describe(`keys of encrypted fields on ${store.name}`, () => {
    const server = useTestKernel({ store, config, definition: clinic() })
    const send = sender(server)
    const submit = async (content: string) => {
      const { status, body } = await send('POST', '/api/v1/domains', { content })
      return { status, code: body.error_code, text: JSON.stringify(body), errors: body.errors ?? [] }
    }
    afterEach(() => void delete process.env[OTHER])

    it.each(NEVER)('E1: %s is not encrypted', async (_, object, more, path) => {
      const { status, code, errors } = await submit(
        clinic({ version: '9', object: `name: string\n        code: ${object}`, more }),
      )
      expect([status, code]).toEqual([422, 'PARSE_ERROR'])
      expect(
        errors.map((one: { path: string }) => one.path.startsWith(`domain.resources.Patient.${path}`)),
      ).toContain(true)
    })

    it('E1: encrypted fields want the key encryption, which knows no other words', async () => {
      const without = await submit(clinic({ version: '9', privacy: '' }))
      expect(without.errors[0]).toMatchObject({
        path: 'domain.resources.Patient.object.ssn.privacy.encrypted',
        message: expect.stringContaining('privacy.encryption'),
      })
      for (const [wrong, path] of [
        ['provider: rot13', 'provider'],
        ['keySource: vault', 'keySource'],
        ['keyVariable: "not a name"', 'keyVariable'],
        ['keyRotation: soon', 'keyRotation'],
      ])
        expect(
          (await submit(clinic({ version: '9', privacy: `encryption: { ${wrong} }` }))).errors,
        ).toContainEqual(expect.objectContaining({ path: `domain.privacy.encryption.${path}` }))
    })

    it.each([
      ['31 bytes', bytes(31)],
      ['33 bytes', bytes(33)],
      ['another alphabet', randomBytes(32).toString('base64url')],
      ['hex', randomBytes(32).toString('hex')],
      ['nothing', ' , '],
      ['an id of strange signs', `a b:${bytes(32)}`],
      ['two with one id', `${newKey('same')},${newKey('same')}`],
      ['a second that is none', `${newKey('good')}\n${bytes(16)}`],
    ])('E2: a variable that holds %s is PARSE_ERROR, without a character of it', async (_, held) => {
      process.env[OTHER] = held
      const { status, code, text, errors } = await submit(clinic({ version: '9', privacy: otherKeys }))
      expect([status, code]).toEqual([422, 'PARSE_ERROR'])
      expect(errors[0]).toMatchObject({
        path: 'domain.privacy.encryption.keyVariable',
        message: expect.stringContaining(OTHER),
      })
      for (const part of held.split(/[\s,:]+/))
        if (part.length > 8) expect(text).not.toContain(part.slice(0, 9))
    })

    it('E1, E2: a variable that is not set, and one that definitions may not read, is PARSE_ERROR', async () => {
      const unset = await submit(clinic({ version: '9', privacy: otherKeys }))
      expect(unset.errors[0]).toMatchObject({ message: expect.stringContaining(OTHER) })
      process.env['JWT_SECRET'] = newKey('jwt')
      const secret = await submit(
        clinic({ version: '9', privacy: 'encryption: { keyVariable: JWT_SECRET }' }),
      )
      expect([secret.code, secret.errors[0]?.message]).toEqual([
        'PARSE_ERROR',
        expect.stringContaining('JWT_SECRET'),
      ])
      delete process.env['JWT_SECRET']
    })

    it('E1: keys may stand in a file that a variable names', async () => {
      const path = join(mkdtempSync(join(tmpdir(), 'svc-keys-')), 'keys')
      process.env['CLINIC_KEYS_FILE'] = path
      const vault = (version: string) => `
domain:
  name: vault
  version: '${version}'
  privacy: { encryption: { keySource: file, keyVariable: CLINIC_KEYS_FILE } }
  resources: { Box: { object: { code: ${sealed('type: string')} }, permissions: { create: ['*'], list: ['*'] } } }
`
      expect((await submit(vault('1'))).errors[0]?.message).toContain('the file that CLINIC_KEYS_FILE names')
      writeFileSync(path, `${newKey('filed')}\n`)
      expect((await submit(vault('1'))).status).toBe(201)
      const { body } = await send('POST', '/api/v1/vault/boxes', { code: 'canary' })
      expect(body.data.code).toBe('canary')
    })

    it('E1: the example of the page is a definition that can be used', async () => {
      process.env['SVC_DOMAIN_VAULT_KEYS'] = newKey('vault')
      const page = readFileSync(new URL('../../../docs/encryption.md', import.meta.url), 'utf8')
      const [, example = ''] = /^```yml\n(.*?)^```$/ms.exec(page) ?? []
      expect((await submit(example.replace('name: vault', 'name: example'))).status).toBe(201)
    })

    it('E2, E3: a start without a needed key ends, and names its id or the variable', async () => {
      const before = process.env[VARIABLE]
      const start = () => startSecond(server().database, server().clock, [], config)
      try {
        process.env[VARIABLE] = newKey('stranger')
        await expect(start()).rejects.toThrow(/the key 'one' is missing/)
        process.env[VARIABLE] = newKey('one')
        await expect(start()).rejects.toThrow(/the key 'one' is another/)
        delete process.env[VARIABLE]
        await expect(start()).rejects.toThrow(new RegExp(VARIABLE))
      } finally {
        process.env[VARIABLE] = before
      }
    })

    it('E3: a new first key wraps the data keys anew at the next start, after which the old one may go', async () => {
      const before = process.env[VARIABLE]
      await send('POST', PATIENTS, { name: 'Ann', ssn: 'canary-ssn' })
      const two = newKey('two')
      const wrapped = async () => (await rowsKept(server().database)).get('svc_encryption_keys') ?? ''
      try {
        expect(await wrapped()).toContain('"wrappedBy":"one"')
        process.env[VARIABLE] = `${two}, ${before}`
        const both = await startSecond(server().database, server().clock, [], config)
        await both.stop()
        const rows: { domain: string; wrappedBy: string }[] = JSON.parse(await wrapped())
        expect(rows.filter(({ domain }) => domain === 'clinic').map((row) => row.wrappedBy)).toEqual([
          'two',
          'two',
        ])
        process.env[VARIABLE] = two
        const alone = await startSecond(server().database, server().clock, [], config)
        const found = await alone.kernel.callAs(SYSTEM)('svc.clinic.patient.list', {
          query: { 'filter[ssn]': 'canary-ssn' },
        } as never)
        expect(JSON.stringify(found)).toContain('Ann')
        await alone.stop()
      } finally {
        process.env[VARIABLE] = before
      }
    })
  })
}
