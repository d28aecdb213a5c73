import { AppError, SYSTEM } from '@svc/kernel'
import type { Column, Table } from '@svc/store/contract'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from './probe.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DEFINITION = `
domain:
  name: clinic
  version: '1.0.0'
  resources:
    Ward:
      object: { name: string }
      relationships:
        patients: { type: hasMany, target: Patient, foreignKey: wardId }
        guests: { type: belongsToMany, target: Patient }
      permissions: ${OPEN}
    Patient:
      probe: { tables: true, narrow: true }
      object:
        name: { type: string, required: true }
        age: { type: integer, default: 1 }
        status: { type: string, enum: [in, out] }
        deletedAt: datetime
      features: { softDelete: true, export: true, audit: true, caching: true }
      stateMachine:
        field: status
        initial: in
        states: { in: { transitions: { leave: { to: out } } }, out: {} }
      api:
        custom: { grow: { method: POST, path: '/:id/grow', fields: { age: 9 }, permissions: ['*'] } }
      relationships:
        ward: { type: belongsTo, target: Ward, onDelete: cascade }
        visits: { type: hasMany, target: Visit, foreignKey: patientId }
      permissions: ${OPEN}
    Visit:
      object: { text: string }
      relationships:
        patient: { type: belongsTo, target: Patient }
      permissions: ${OPEN}
`
const column = (name: string): Column => ({ name, kind: 'uuid', nullable: false })
const ID = column('id')
const LOCKED: Table = { name: 'probe_locked', columns: [ID], primaryKey: [ID], indexes: [], foreignKeys: [] }
const PATIENTS = '/api/v1/clinic/patients'
const WARDS = '/api/v1/clinic/wards'
const VISITS = '/api/v1/clinic/visits'

for (const store of STORES) {
  describe(`rows that a block keeps from everybody on ${store.name}`, () => {
    const probing = createProbing({ locked: LOCKED })
    const server = useTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const total = async (path: string) => {
      const { body } = await send('GET', path)
      return body.data.totalCount ?? body.data.total ?? body.data.count
    }
    let ward = ''
    let locked = ''
    let open = ''
    let visit = ''
    const restrict = (...operations: string[]) => {
      probing.part = {
        narrow: (resource, operation) =>
          operations.includes(operation)
            ? {
                rows: {
                  op: 'not',
                  of: {
                    op: 'exists',
                    table: LOCKED,
                    on: [[ID, resource.key.column!]],
                    where: { op: 'always' },
                  },
                },
                refuse: () => new AppError('RESTRICTED', 403, 'This record is restricted'),
              }
            : undefined,
      }
    }

    beforeAll(async () => {
      ward = (await send('POST', WARDS, { name: 'A' })).body.data.id
      const make = async (name: string) =>
        (await send('POST', PATIENTS, { name, wardId: ward })).body.data.id as string
      locked = await make('locked')
      open = await make('open')
      visit = (await send('POST', VISITS, { text: 'v', patientId: locked })).body.data.id
      await send('POST', `${WARDS}/${ward}/guests`, { patientId: locked })
      probing.probe = (data, call) =>
        data.write(call, (writes) => writes.insert({ table: LOCKED, values: { id: locked } }))
      expect((await send('POST', `${PATIENTS}/probe`, {})).status).toBe(200)
    })
    afterEach(() => void (probing.part = {}))

    it('are in no list, count, distinct, include, nested list, ledger or export', async () => {
      const asked = async () => ({
        list: await total(PATIENTS),
        count: await total(`${PATIENTS}/count`),
        distinct: (await send('GET', `${PATIENTS}/distinct/name`)).body.data.values,
        search: await total(`${PATIENTS}?filter[name]=locked`),
        nested: await total(`${WARDS}/${ward}/patients`),
        guests: await total(`${WARDS}/${ward}/guests`),
        included: (await send('GET', `${WARDS}/${ward}?include=patients`)).body.data.patients.length,
        one: (await send('GET', `${VISITS}/${visit}?include=patient`)).body.data.patient?.name ?? null,
        audit: await total(`${PATIENTS}/audit`),
        lines:
          String((await send('GET', `${PATIENTS}/export`)).body)
            .trim()
            .split('\r\n').length - 1,
      })
      const all = { list: 2, count: 2, search: 1, nested: 2, guests: 1, included: 2, audit: 2, lines: 2 }
      expect(await asked()).toEqual({ ...all, distinct: ['locked', 'open'], one: 'locked' })
      restrict('list', 'get')
      const left = { list: 1, count: 1, search: 0, nested: 1, guests: 0, included: 1, audit: 1, lines: 1 }
      expect(await asked()).toEqual({ ...left, distinct: ['open'], one: null })
    })

    it('may be left out of exports alone', async () => {
      restrict('export')
      expect(await total(PATIENTS)).toBe(2)
      expect(String((await send('GET', `${PATIENTS}/export`)).body)).not.toContain('locked')
    })

    it('cannot be read, written, moved, run, linked or looked below, each as it is restricted', async () => {
      const path = `${PATIENTS}/${locked}`
      const attempts: readonly (readonly [
        restricted: string,
        method: string,
        path: string,
        body?: object,
      ])[] = [
        ['get', 'GET', path],
        ['get', 'GET', `${path}/audit`],
        ['update', 'PATCH', path, { age: 5 }],
        ['update', 'PUT', path, { name: 'x' }],
        ['delete', 'DELETE', path],
        ['transition', 'POST', `${path}/transitions/leave`],
        ['custom', 'POST', `${path}/grow`],
        ['get', 'POST', `${WARDS}/${ward}/guests`, { patientId: locked }],
        ['get', 'DELETE', `${WARDS}/${ward}/guests/${locked}`],
      ]
      for (const [restricted, method, at, body] of attempts) {
        restrict(restricted)
        const refused = await send(method, at, body)
        expect([method, at, refused.status, refused.body?.error_code]).toEqual([
          method,
          at,
          403,
          'RESTRICTED',
        ])
        const other = restricted === 'get' ? 'update' : 'get'
        restrict(other)
        if (method === 'GET') expect((await send(method, at)).status).toBe(200)
      }
      restrict('get')
      expect((await send('GET', `${path}/visits`)).status).toBe(404)
      restrict('update', 'delete', 'get')
      const bulk = await send('PATCH', `${PATIENTS}/bulk`, { ids: [locked, open], data: { age: 3 } })
      expect(bulk.body.data).toMatchObject({ updated: 1, failed: 1, errors: [{ error_code: 'RESTRICTED' }] })
    })

    it('do not go along with another record, nor for the system', async () => {
      restrict('delete')
      expect((await send('DELETE', `${WARDS}/${ward}`)).status).toBe(403)
      probing.probe = async (data) => {
        const resource = data.model.resources.get('Patient')!
        const attempt = data.write({ caller: SYSTEM }, (writes) =>
          writes.record({ kind: 'delete', resource, key: locked }),
        )
        return attempt.then(
          () => 'gone',
          (error: AppError) => error.code,
        )
      }
      expect((await send('POST', `${PATIENTS}/probe`, {})).body.data).toBe('RESTRICTED')
    })

    it('are out of reach through blocks too, and open to an overwrite', async () => {
      restrict('list', 'get', 'update')
      probing.probe = async (data) => {
        const resource = data.model.resources.get('Patient')!
        const system = { caller: SYSTEM }
        const { rows } = await data.read(resource, {}, system)
        const [counted] = await data.aggregate(resource, { by: {}, measures: { n: { fn: 'count' } } }, system)
        const found = await data.find(resource, locked, system)
        const done = await data.write(system, (writes) =>
          writes.record({ kind: 'overwrite', resource, key: locked, values: { name: 'erased' } }),
        )
        const kept = data
          .keeps(resource)
          .map(({ table, values }) => [table.name, values.map(({ name }) => name)])
        return { rows: rows.length, counted, found: found ?? null, done: done?.['name'], kept }
      }
      expect((await send('POST', `${PATIENTS}/probe`, {})).body.data).toEqual({
        rows: 1,
        counted: { n: 1 },
        found: null,
        done: 'erased',
        kept: expect.arrayContaining([[expect.stringContaining('audit'), ['changes']]]),
      })
    })
  })

  describe(`what records come to, for a block on ${store.name}`, () => {
    const probing = createProbing()
    const definition = `
domain:
  name: till
  version: '1.0.0'
  resources:
    Sale:
      probe: {}
      object: { shop: string, amount: integer, margin: integer, code: string, createdById: uuid }
      permissions:
        list: ['owner', boss]
        get: ['owner', boss]
        create: [authenticated]
        fields: { margin: { read: [boss] }, code: { read: [boss], mask: true } }
`
    const server = useTestKernel({ store, plugins: [probing.plugin], definition })
    let clerk: TestAccount
    let boss: TestAccount

    beforeAll(async () => {
      clerk = await server().account('clerk', ['clerk'])
      boss = await server().account('boss', ['boss'])
      for (const [token, shop, amount] of [
        [clerk.token, 'a', 1],
        [clerk.token, 'a', 2],
        [boss.token, 'a', 10],
        [boss.token, 'b', 20],
      ])
        await server().request('POST', '/api/v1/till/sales', {
          token: String(token),
          body: { shop, amount, margin: 1, code: 'x' },
        })
    })

    const sum = (who: TestAccount, of: string, by = 'shop', query = {}) => {
      probing.probe = (data, call) => {
        const resource = data.model.resources.get('Sale')!
        const scalar = (name: string) => ({
          op: 'column' as const,
          column: resource.fields.get(name)!.column!,
        })
        return data.aggregate(
          resource,
          {
            by: { by: scalar(by) },
            measures: { sum: { fn: 'sum', scalar: scalar(of) } },
            query,
            order: [{ by: 'by', descending: false }],
          },
          call,
        )
      }
      return server().request('POST', '/api/v1/till/sales/probe', { token: who.token, body: {} })
    }

    it('counts the records alone that the asker may list', async () => {
      expect((await sum(boss, 'amount')).body.data).toEqual([
        { by: 'a', sum: 13 },
        { by: 'b', sum: 20 },
      ])
      expect((await sum(clerk, 'amount')).body.data).toEqual([{ by: 'a', sum: 3 }])
      const some = await sum(boss, 'amount', 'shop', { 'filter[amount][gt]': '5', odd: 'x' })
      expect(some.body.data).toEqual([
        { by: 'a', sum: 10 },
        { by: 'b', sum: 20 },
      ])
      expect(some.body.warnings).toHaveLength(1)
    })

    it('is refused over what the asker may not read, or sees masked', async () => {
      expect((await sum(boss, 'margin')).status).toBe(200)
      expect((await sum(clerk, 'margin')).status).toBe(403)
      expect((await sum(clerk, 'amount', 'code')).status).toBe(403)
    })
  })
}
