import { column, type Row, StoreCapability, type Table } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { createRandom } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE } from '../privacy/practice.ts'
import { type Asked, CLINIC, drawAsked, drawPerson, FIELDS, type Person } from './erases.ts'

const CASES = size('ERASE_CASES', { smoke: 8, whole: 1000 })
const SEED = Number(process.env['ERASE_SEED'] ?? 4)
/** Cases of one test: no test may take longer than its patience. */
const PORTION = 50

const ID = column('id', 'uuid')
const TABLES = new Map(
  Object.entries(FIELDS).map(([name, fields]): readonly [string, Table] => [
    name,
    {
      name: `clinic_${name.toLowerCase()}`,
      columns: [ID, ...fields.map((one) => column(one, one.endsWith('Id') ? 'uuid' : 'text', true))],
      primaryKey: [ID],
      indexes: [],
      foreignKeys: [],
    },
  ]),
)

type Kept = ReadonlyMap<string, ReadonlyMap<string, Row>>

interface Affected {
  readonly resource: string
  readonly records: number
  readonly action: string
  readonly fields: readonly string[]
  readonly excluded: boolean
}

for (const store of STORES) {
  describe(`people of all kinds who are erased on ${store.name}`, () => {
    const config = { jobs: { enabled: false }, rate_limit: { enabled: false } }
    const server = useTestKernel({ store, definition: CLINIC, config })
    let dpo: TestAccount
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const must = async (method: string, path: string, body?: unknown) => {
      const answer = await send(method, path, body)
      expect([method, path, answer.status < 300, answer.body?.error_message]).toEqual([
        method,
        path,
        true,
        undefined,
      ])
      return answer.body?.data
    }
    const collectionOf = (resource: string) => `${BASE}/${resource.toLowerCase()}s`

    /** Makes the records; answers their ids by resource. */
    async function make({ records }: Person): Promise<ReadonlyMap<string, readonly string[]>> {
      const ids: string[] = []
      const made = new Map<string, string[]>()
      for (const { resource, values } of records) {
        const named = Object.entries(values).map(([name, value]) => [
          name,
          typeof value === 'string' && value.startsWith('@') ? ids[Number(value.slice(1))] : value,
        ])
        const { id } = await must('POST', collectionOf(resource), Object.fromEntries(named))
        ids.push(id)
        made.set(resource, [...(made.get(resource) ?? []), id])
      }
      for (const [at, { resource, later, isDeleted }] of records.entries()) {
        const path = `${collectionOf(resource)}/${ids[at]}`
        if (later) await must('PATCH', path, later)
        // What others refer to may stay.
        if (isDeleted) await send('DELETE', path)
      }
      return made
    }

    async function kept(made: ReadonlyMap<string, readonly string[]>): Promise<Kept> {
      const reader = server().kernel.get(StoreCapability)
      const found = new Map<string, ReadonlyMap<string, Row>>()
      for (const [resource, values] of made) {
        const table = TABLES.get(resource)!
        const where = { op: 'in', column: ID, values } as const
        const rows = await reader.select({ table, columns: table.columns, where, order: [] })
        found.set(resource, new Map(rows.map((row) => [String(row['id']), row])))
      }
      return found
    }

    /** What has become of records: how many are gone, how many are others, and in which fields. */
    function differences(before: Kept, after: Kept) {
      return [...before].map(([resource, rows]) => {
        const left = after.get(resource)!
        const gone = [...rows.keys()].filter((id) => !left.has(id)).length
        const fields = new Set<string>()
        let changed = 0
        for (const [id, row] of left) {
          const names = Object.keys(row).filter((name) => row[name] !== rows.get(id)?.[name])
          if (names.length > 0) changed += 1
          for (const name of names) fields.add(name)
        }
        return { resource, gone, changed, fields: [...fields] }
      })
    }

    const erase = (email: string, asked: Asked, dryRun: boolean) =>
      send('POST', about(email, '/erase'), { ...asked, dryRun, reason: 'asked for' }, dpo.token)

    /** Erases one person; answers the texts that nothing may have any more. */
    async function erased(at: number): Promise<readonly string[]> {
      const random = createRandom(SEED * 1_000_003 + at)
      const person = drawPerson(random, at)
      const asked = drawAsked(random)
      const named = [at, asked]
      const made = await make(person)
      const before = await kept(made)
      const dry = await erase(person.email, asked, true)
      expect([named, differences(before, await kept(made)).filter(isAny)]).toEqual([named, []])
      const done = await erase(person.email, asked, false)
      if (dry.status === 404) {
        expect([named, done.status]).toEqual([named, 404])
        return []
      }
      expect([named, dry.status]).toEqual([named, 200])
      const after = await kept(made)
      if (dry.body.data.blockers.length > 0) {
        expect([named, done.status, done.body.error_code]).toEqual([named, 409, 'LEGAL_HOLD'])
        expect([named, done.body.data]).toEqual([named, { ...dry.body.data, dryRun: false }])
        expect([named, differences(before, after).filter(isAny)]).toEqual([named, []])
        return []
      }
      const { id, erasedAt, ...said } = done.body.data
      expect([named, done.status, said]).toEqual([named, 200, { ...dry.body.data, dryRun: false }])
      expect([named, typeof id, typeof erasedAt]).toEqual([named, 'string', 'string'])
      for (const { resource, gone, changed, fields } of differences(before, after)) {
        const own = (said.affectedResources as Affected[]).filter(
          (one) => one.resource === resource && !one.excluded,
        )
        const sum = (of: readonly Affected[]) => of.reduce((all, { records }) => all + records, 0)
        const isRemoval = ({ action }: Affected) => action === 'delete'
        const foretold = {
          gone: sum(own.filter(isRemoval)),
          changed: sum(own.filter((one) => !isRemoval(one))),
        }
        expect([named, resource, { gone, changed }]).toEqual([named, resource, foretold])
        const names = own.flatMap((one) => one.fields)
        expect([named, resource, fields.filter((name) => !names.includes(name))]).toEqual([
          named,
          resource,
          [],
        ])
      }
      const again = await erase(person.email, asked, false)
      expect([named, again.status, again.body.data?.alreadyErased, again.body.data?.id]).toEqual([
        named,
        200,
        true,
        id,
      ])
      expect([named, differences(after, await kept(made)).filter(isAny)]).toEqual([named, []])
      const access = await send('GET', about(person.email), undefined, dpo.token)
      const isWhole = asked.excludeResources.length === 0
      if (isWhole && asked.method !== 'pseudonymize') expect([named, access.status]).toEqual([named, 404])
      if (!isWhole || asked.retainAudit || asked.retainHistory) return []
      // What was asked by stands in the answer.
      const told = JSON.stringify(access.body).replaceAll(person.email, '')
      expect([named, person.words.filter((word) => told.includes(word))]).toEqual([named, []])
      return person.words
    }

    const isAny = ({ gone, changed }: { readonly gone: number; readonly changed: number }) =>
      gone + changed > 0

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo'])
    })

    for (let from = 0; from < CASES; from += PORTION)
      it(`P16, P18: a dry run says what the erase does, and a second one does nothing, from case ${from} on`, async () => {
        const words: string[] = []
        for (let at = from; at < Math.min(CASES, from + PORTION); at += 1) words.push(...(await erased(at)))
        expect(words.length).toBeGreaterThan(0)
        const everything = [...(await rowsKept(server().database))]
          .filter(([name]) => name.startsWith('clinic_') || name.startsWith('svc_'))
          .map(([name, text]) => `${name} ${text}`)
          .join('\n')
        expect(words.filter((word) => everything.includes(word))).toEqual([])
      })
  })
}
