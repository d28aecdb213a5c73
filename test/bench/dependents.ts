import type { ServerProcess } from '../kit/server-process.ts'
import { must } from './timing.ts'
import { measureWrites } from './writes.ts'

const RECORDS = 10_000
const PORTION = 500
const WRITES = 500
const DEPENDENTS = 10
const AT = '/api/v1/wide/wides'

/** A sheet of 200 fields, of which ten are worked out in a chain from one. */
const DEFINITION = `
domain:
  name: wide
  version: '1'
  resources:
    Wide:
      mode: sheet
      computedFields: { reactive: true, overridable: [f${DEPENDENTS}] }
      object:
        input: { type: decimal, default: 1 }
${numbered(200 - DEPENDENTS - 1, (at) => `        c${at}: { type: decimal, default: ${at} }`)}
      computed:
        f1: { type: decimal, expression: input + c1 }
${numbered(DEPENDENTS - 1, (at) => `        f${at + 1}: { type: decimal, expression: f${at} + c${at} }`)}
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`

function numbered(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at + 1)).join('\n')
}

/** Measures a write by which ten fields of a wide sheet are worked out anew; prints it. */
export async function measureDependents(server: ServerProcess, token: string): Promise<void> {
  await must(server, 'POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
  for (let done = 0; done < RECORDS; done += PORTION)
    await must(server, 'POST', `${AT}/bulk`, {
      body: { items: Array.from({ length: PORTION }, (_, one) => ({ input: done + one })) },
    })
  const { body } = await must(server, 'GET', `${AT}?limit=100&fields=id`, {})
  const ids: readonly { readonly id: string }[] = body.data.items
  console.log(`a sheet of 200 fields with ${RECORDS} records, in milliseconds`)
  await measureWrites(server, WRITES, `one input of ${DEPENDENTS} dependents`, (one) =>
    must(server, 'PATCH', `${AT}/${ids[one % ids.length]!.id}`, { body: { input: one } }),
  )
}
