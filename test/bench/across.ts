import type { ServerProcess } from '../kit/server-process.ts'
import { must } from './timing.ts'
import { measureWrites } from './writes.ts'

const RECORDS = 10_000
const PORTION = 500
const WRITES = 200
/** So many records look into one other. */
const DEPENDENTS = 100
const CODES = RECORDS / DEPENDENTS
const AT = '/api/v1/across'

/** A sheet of 200 fields, of whose records a hundred each look into one other, and totals that are made of a hundred each. */
const DEFINITION = `
domain:
  name: across
  version: '1'
  resources:
    Rate:
      object: { code: { type: integer, primaryKey: true }, price: decimal }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
    Wide:
      mode: sheet
      computedFields: { reactive: true, crossRecord: true }
      object:
        code: integer
        hours: { type: decimal, default: 1 }
${Array.from({ length: 196 }, (_, at) => `        c${at}: { type: decimal, default: ${at} }`).join('\n')}
      computed:
        total: { type: decimal, expression: "hours * lookup('Rate', code, 'price')" }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
    Sum:
      mode: sheet
      computedFields: { reactive: true, crossRecord: true }
      object: { code: { type: integer, primaryKey: true } }
      computed:
        spent: { type: decimal, expression: "aggregate('Wide', 'sum', 'total', 'code == $record.code')" }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`

/** Measures writes that records of a wide sheet follow which look into others; prints it. */
export async function measureAcross(server: ServerProcess, token: string): Promise<void> {
  await must(server, 'POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
  const codes = Array.from({ length: CODES }, (_, code) => ({ code, price: 1 }))
  await must(server, 'POST', `${AT}/rates/bulk`, { body: { items: codes } })
  for (let done = 0; done < RECORDS; done += PORTION)
    await must(server, 'POST', `${AT}/wides/bulk`, {
      body: { items: Array.from({ length: PORTION }, (_, one) => ({ code: (done + one) % CODES })) },
    })
  console.log(`a sheet of 200 fields with ${RECORDS} records that look into others, in milliseconds`)
  await measureWrites(server, WRITES, `a price of ${DEPENDENTS} dependents`, (one) =>
    must(server, 'PATCH', `${AT}/rates/${one % CODES}`, { body: { price: 2 + one } }),
  )
  await must(server, 'POST', `${AT}/sums/bulk`, { body: { items: codes.map(({ code }) => ({ code })) } })
  await measureWrites(server, WRITES, 'and a sum over them', (one) =>
    must(server, 'PATCH', `${AT}/rates/${one % CODES}`, { body: { price: 500 + one } }),
  )
  const { body } = await must(server, 'GET', `${AT}/wides?limit=100&fields=id`, {})
  const ids: readonly { readonly id: string }[] = body.data.items
  await measureWrites(server, WRITES, 'one of a hundred summed up', (one) =>
    must(server, 'PATCH', `${AT}/wides/${ids[one % ids.length]!.id}`, { body: { hours: one } }),
  )
}
