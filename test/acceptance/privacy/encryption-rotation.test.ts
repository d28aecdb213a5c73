import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SYSTEM } from '@svc/kernel'
import { askServer } from '@svc/management/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { behind } from '../../kit/behind.ts'
import { createClock } from '../../kit/clock.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { pass, QUIET, tick } from '../workflows/desk.ts'
import { clinic, config as own, ENCRYPTION, PATIENTS, sender } from './clinic.ts'

const socket = join(mkdtempSync(join(tmpdir(), 'svc-socket-')), 'svc.sock')
const config = { ...own, ...QUIET, management: { socket } }
const privacy = ENCRYPTION.replace(' }', ', keyRotation: 30d }')
const DAY = 86_400
const MANY = 130

for (const store of STORES) {
  describe(`the rotation of keys on ${store.name}`, () => {
    const server = useTestKernel({ store, config, definition: clinic({ privacy }) })
    const send = sender(server)
    const patients = async (): Promise<readonly Record<string, unknown>[]> => {
      const rows: Record<string, unknown>[] = JSON.parse(
        (await rowsKept(server().database)).get('clinic_patient') ?? '[]',
      )
      return rows.toSorted((a, b) => String(a['name']).localeCompare(String(b['name'])))
    }
    const heads = async () =>
      [...new Set((await patients()).map(({ ssn }) => String(ssn).slice(0, 10)))].toSorted()
    const status = async () => {
      const answer = await askServer(socket, { cmd: 'keys_status' })
      return answer.ok ? (answer.data as readonly object[])[0] : answer
    }

    it('E3: leaves keys as they are until their time has come', async () => {
      const items = Array.from({ length: MANY }, (_, at) => ({
        name: `p${at}`,
        ssn: `ssn-${at}`,
        note: `note ${at}`,
        ward: `w${at % 3}`,
      }))
      for (let at = 0; at < MANY; at += 100)
        await send('POST', `${PATIENTS}/bulk`, { items: items.slice(at, at + 100) })
      await pass(server(), 29 * DAY)
      expect(await heads()).toEqual(['e100000001'])
      expect(await status()).toMatchObject({ wrappedBy: ['one'], present: 1, olderRecords: 0 })
    })

    it('E3: makes a new key after keyRotation, uses it once every server has it, and rewrites older values', async () => {
      const before = await patients()
      const second = await startSecond(server().database, server().clock, [], { ...own, ...QUIET })
      await pass(server(), 2 * DAY)
      expect(await status()).toMatchObject({ present: 1, keys: [{ number: 1 }, { number: 2 }] })
      await send('PATCH', `${PATIENTS}/${String(before[0]!['id'])}`, { note: 'meanwhile' })
      expect(await heads()).toEqual(['e100000001'])
      await pass(server(), 61)
      await tick(server())
      expect(await status()).toMatchObject({ present: 2, olderRecords: MANY })
      await pass(server(), 60)
      await tick(server())
      await expect.poll(heads).toEqual(['e100000002'])
      await expect.poll(status).toMatchObject({ present: 2, olderRecords: 0 })
      const rows = await patients()
      for (const name of ['note', 'ward', 'ssn'])
        expect(rows.filter((row) => !String(row[name]).startsWith('e100000002'))).toEqual([])
      // What records are is the same, and so is what they are found by.
      const known = (row: Record<string, unknown>, more = 0) => [
        Number(row['$version']) + more,
        row['$ssn$blind'],
      ]
      expect(rows.map((row) => known(row))).toEqual(before.map((row, at) => known(row, at === 0 ? 1 : 0)))
      await second.kernel.callAs(SYSTEM)('jobs.tick', {})
      const { body } = await second.request('GET', `${PATIENTS}?filter[ssn]=ssn-7`, { token: server().admin })
      expect([body.data?.items.length, body.data?.items[0]?.note]).toEqual([1, 'note 7'])
      await second.stop()
    })

    it('E3: rewrites what a server has still written with the key before whose clock is behind', async () => {
      const late = createClock(server().clock.now() - 30_000)
      const second = await startSecond(server().database, late, [], { ...own, ...QUIET })
      onTestFinished(() => second.stop())
      const advance = async (seconds: number) => {
        late.advance(seconds * 1000)
        await pass(server(), seconds)
        await tick(server())
      }
      await advance(31 * DAY)
      await second.kernel.callAs(SYSTEM)('jobs.tick', {})
      await advance(61)
      const [{ id } = {}] = await patients()
      const body = { note: 'written by a clock that is behind' }
      const { status: code } = await second.request('PATCH', `${PATIENTS}/${String(id)}`, {
        token: server().admin,
        body,
      })
      expect(code).toBe(200)
      const written = (await patients()).find((one) => one['id'] === id)
      expect(String(written?.['note']).slice(0, 10)).toBe('e100000002')
      await advance(60)
      await expect.poll(heads).toEqual(['e100000003'])
      await expect.poll(status).toMatchObject({ present: 3, olderRecords: 0 })
    })

    it('E3: what does not decrypt stays as it is, and holds up nothing else', async () => {
      const [{ id } = {}] = await patients()
      await behind(
        server().database,
        `update clinic_patient set note = 'e100000001broken' where id = '${String(id)}'`,
      )
      expect(await status()).toMatchObject({ olderRecords: 1 })
      await pass(server(), 31 * DAY)
      await pass(server(), 121)
      await tick(server())
      await expect.poll(heads).toEqual(['e100000004'])
      await expect.poll(status).toMatchObject({ present: 4, olderRecords: 1 })
      expect((await send('GET', `${PATIENTS}/${String(id)}`)).body.error_code).toBe('INTERNAL_ERROR')
    })
  })
}
