import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKernel } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { standardPlugins } from '@svc/server'
import { type Row, StoreCapability, type Table } from '@svc/store/contract'
import { load } from 'js-yaml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checksumOf } from '../../../plugins/domain/src/definition/canonical.ts'
import { JOURNAL } from '../../../plugins/domain/src/migrate/journal.ts'
import { COLUMNS } from '../../../plugins/domain/src/overlay/rows.ts'
import { createTestLog, type LogEntry } from '../../kit/log.ts'
import { scratchFolder } from '../../kit/memory.ts'
import { createRequest } from '../../kit/request.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { clinic, config, OPEN, sealed } from '../privacy/clinic.ts'

/** A definition that is accepted, whose parts in capitals stand for what another release accepted in their place. */
const ACCEPTED = clinic({
  object: `name: string
        ssn: ${sealed('type: string')}
        own: { type: string, computed: "upper(ssn)" }
        kept: { type: string, computed: { expression: "lower(name)", stored: true } }`,
  more: '',
  others: `Page:
      mode: sheet
      dynamicFields: { permissions: { addColumn: ['*'], renameColumn: ['*'], deleteColumn: ['*'] } }
      object: { name: string, ssn: ${sealed('type: string')}, own: { type: string, computed: "upper(ssn)" } }
      permissions: ${OPEN}`,
  domain: `templates:
    slip: { data: { one: { record: Patient } }, body: x, filename: 'of {name}' }
  schedules:
    often: { recurrence: '@daily', source: { resource: Patient }, tag: 'of {name} once', action: noop }`,
})

/** The same as an older release accepted it. */
const older = (text: string): string =>
  text
    .replace('lower(name)', 'lower(own)')
    .replace("filename: 'of {name}'", "filename: 'of {own}'")
    .replace('"filename":"of {name}"', '"filename":"of {own}"')
    .replace('of {name} once', 'of {own} once')

const PATIENTS = '/api/v1/clinic/patients'
const PAGES = '/api/v1/clinic/pages'
const [DOMAINS] = JOURNAL
let files = 0

for (const store of STORES) {
  describe(`a release that judges more strictly on ${store.name}`, () => {
    let first: TestKernel
    const ends: (() => Promise<void>)[] = []
    beforeEach(async () => {
      first = await startTestKernel({ store, config, definition: ACCEPTED })
    })
    afterEach(async () => {
      await ended()
      await first.stop()
    })
    const ended = async () => {
      for (const end of ends.splice(0)) await end()
    }

    /** Changes the only row of a table. */
    const rewriteRow = (table: Table, change: (row: Record<string, any>) => Record<string, any>) =>
      first.kernel.get(StoreCapability).transaction(async (transaction) => {
        const [key] = table.primaryKey.slice(-1)
        const asked = { table, columns: table.columns, where: { op: 'always' }, order: [] } as const
        const [row = {}, ...others] = await transaction.select(asked)
        expect(others).toEqual([])
        const where = { op: 'eq', column: key!, value: row[key!.name]! } as const
        await transaction.update({ table, set: change(row) as Row, where })
      })

    /** Rewrites the definition on record, as an older release would have written it. */
    const rewrite = (change: (text: string) => string, more: object = {}) =>
      rewriteRow(DOMAINS!, ({ resolved, snapshot, source }) => {
        expect(change(resolved)).not.toBe(resolved)
        const checksum = checksumOf(JSON.parse(change(resolved)))
        return {
          resolved: change(resolved),
          snapshot: change(snapshot),
          source: change(source),
          checksum,
          ...more,
        }
      })

    /** Starts the release that is strict over the same database, once the other one has ended. */
    async function restart(domain: object = {}) {
      await first.kernel.stop()
      await ended()
      const { logger, entries } = createTestLog()
      const sections = {
        ...first.database.config(),
        rest: { port: 0 },
        auth: { jwt: { secret: SECRET } },
        rate_limit: { enabled: false },
        domain: { ...config.domain, ...domain },
      }
      const plugins = standardPlugins(sections).filter(({ name }) => name !== 'management')
      const kernel = createKernel({
        config: sections,
        plugins,
        environment: 'production',
        env: first.clock,
        log: logger,
      })
      ends.push(() => kernel.stop())
      await kernel.start()
      const http = kernel.get(HttpServerCapability)
      const request = createRequest(http.url(), http.fetch)
      const send = (method: string, path: string, body?: unknown) =>
        request(method, path, { token: first.admin, ...(body !== undefined && { body }) })
      return { send, log: entries, submit: (content: string) => send('POST', '/api/v1/domains', { content }) }
    }

    const fileOf = (text: string): string => {
      const file = join(scratchFolder, `stricter-${process.pid}-${(files += 1)}.yaml`)
      writeFileSync(file, text)
      return file
    }
    const create = async (path: string, data: object) => {
      const { status, body } = await first.request('POST', path, { token: first.admin, body: data })
      expect([status, body.errors]).toEqual([201, undefined])
      return body.data
    }
    const faultsIn = (log: readonly LogEntry[]) =>
      log.filter(({ event }) => event === 'domain.restored_with_faults')
    const PLACES = [
      'domain.resources.Patient.computed.kept',
      'domain.schedules.often.tag',
      'domain.templates.slip.filename',
    ]
    const placesIn = (log: readonly LogEntry[]) =>
      faultsIn(log)
        .map(({ fields }) => String(fields['path']).replace('.object.', '.computed.'))
        .toSorted()

    it('starts over what is in force already, warns of each fault, and puts nothing of it in force again', async () => {
      const { id } = await create(PATIENTS, { name: 'Ada', ssn: 'canary' })
      await rewrite(older)
      const { send, log, submit } = await restart()
      expect(placesIn(log)).toEqual(PLACES)
      for (const { level, fields } of faultsIn(log)) {
        expect(level).toBe('warn')
        expect(fields).toMatchObject({
          domain: 'clinic',
          message: expect.stringContaining("'ssn'"),
          hint: expect.stringMatching(/^(Make it|Let it)/),
        })
      }
      expect((await send('GET', `${PATIENTS}/${id}`)).body.data).toMatchObject({
        name: 'Ada',
        ssn: 'canary',
        kept: 'ada',
      })
      expect((await send('PATCH', `${PATIENTS}/${id}`, { name: 'Eve' })).status).toBe(200)
      const again = await submit(older(ACCEPTED))
      expect([again.status, again.body.error_code, again.body.errors.length]).toEqual([422, 'PARSE_ERROR', 3])
      const preview = await send('POST', '/api/v1/domains/clinic/preview', { content: older(ACCEPTED) })
      expect(preview.status).toBe(422)
      const corrected = await submit(ACCEPTED)
      expect([corrected.status, corrected.body.errors]).toEqual([201, undefined])
      expect((await send('POST', PATIENTS, { name: 'Bob', ssn: 'x' })).body.data.kept).toBe('bob')
    })

    it('leaves a configured file alone that has not changed since it was applied, and no other one', async () => {
      const inForce = older(ACCEPTED)
      await rewrite(older, { fileChecksum: checksumOf(load(inForce) as never) })
      const file = fileOf(inForce)
      const { log, send } = await restart({ domain_file: file })
      expect(placesIn(log)).toEqual(PLACES)
      expect(log.map(({ event }) => event)).toContain('domain.file_unchanged')
      expect((await send('GET', PATIENTS)).status).toBe(200)
      const changed = fileOf(inForce.replace("version: '1'", "version: '2'"))
      await expect(restart({ domain_file: changed })).rejects.toThrow(/stricter-.*'ssn'/s)
    })

    it('takes over from a server of the older release what that has put in force', async () => {
      await rewrite(older, { revision: 2 })
      await expect.poll(() => placesIn(first.log), { timeout: 5000 }).toEqual(PLACES)
      expect((await create(PATIENTS, { name: 'Ada', ssn: 'canary' })).kept).toBe('canary')
    })

    it('starts with a column of a sheet that it would refuse, which can be deleted, and nothing else be done with it', async () => {
      const column = { name: 'copy', type: 'string', expression: "concat(name, '!')" }
      await create(`${PAGES}/columns`, column)
      const { id } = await create(PAGES, { name: 'one', ssn: 'canary' })
      await rewriteRow(COLUMNS, ({ definition }) => ({
        definition: { ...definition, computed: { ...Object(definition.computed), expression: 'lower(own)' } },
      }))
      await rewrite(older)
      const { send, log, submit } = await restart()
      expect(placesIn(log)).toEqual(['domain.resources.Page.computed.copy', ...PLACES])
      expect((await send('GET', `${PAGES}/${id}`)).body.data).toMatchObject({ name: 'one', copy: 'one!' })
      const refused = await submit(ACCEPTED)
      expect([refused.status, refused.body.errors[0].path]).toEqual([
        422,
        'domain.resources.Page.object.copy',
      ])
      const more = { type: 'string', expression: 'own' }
      expect((await send('POST', `${PAGES}/columns`, { ...more, name: 'more' })).status).toBe(422)
      const renamed = await send('PATCH', `${PAGES}/columns/copy`, { name: 'other' })
      expect([renamed.status, JSON.stringify(renamed.body)]).toEqual([
        409,
        expect.stringContaining("'ssn' keeps"),
      ])
      expect((await send('POST', `${PAGES}/columns`, { name: 'plain', type: 'string' })).status).toBe(201)
      expect((await send('DELETE', `${PAGES}/columns/copy`)).status).toBe(204)
      expect((await submit(ACCEPTED)).status).toBe(201)
    })

    it('ends where no model can be made, unless a changed file stands in for it', async () => {
      const { id } = await create(PATIENTS, { name: 'Ada', ssn: 'canary' })
      await rewrite((text) => text.replace('of {name} once', 'of {nam( once'))
      await expect(restart()).rejects.toThrow(/stored domain 'clinic'.*schedules\.often\.tag/s)
      const { send, log } = await restart({ domain_file: fileOf(ACCEPTED) })
      expect(log.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['domain.superseded', 'domain.file_applied']),
      )
      expect((await send('GET', `${PATIENTS}/${id}`)).body.data).toMatchObject({ ssn: 'canary', kept: 'ada' })
    })

    it('ends in any case where it is not certain what the tables hold', async () => {
      await create(PATIENTS, { name: 'Ada', ssn: 'canary' })
      await rewrite((text) =>
        text.replace(/"name":"string"/, '"name":"strange"').replace('name: string', 'name: strange'),
      )
      await expect(restart({ domain_file: fileOf(ACCEPTED) })).rejects.toThrow(
        /stored domain 'clinic'.*no field type 'strange'.*release/s,
      )
    })
  })
}
