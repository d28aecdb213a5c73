import { setTimeout as delay } from 'node:timers/promises'
import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { measureAcross } from './across.ts'
import type { Databases } from './databases.ts'
import { measureDependents } from './dependents.ts'
import { must, print, timed } from './timing.ts'

const RECORDS = 100_000
const PORTION = 500
const COLUMNS = 40

const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources:
    Sheet:
      mode: sheet
      dynamicFields: { maxColumns: 500 }
      object: { bike: string, hours: integer, rate: money, note: text }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`
const AT = '/api/v1/stand/sheets'

/** What can be measured by itself: fields within a record, records that look into others, and columns. */
export const SHEET_PARTS = ['dependents', 'across', 'columns'] as const
export type SheetPart = (typeof SHEET_PARTS)[number]

/**
 * Measures writes that formulas follow, and how long a change of the columns takes with 100,000 records and others wait meanwhile;
 * prints it.
 */
export async function measureSheet(
  folder: TestFolder,
  open: (folder: TestFolder) => Promise<Databases>,
  parts: readonly SheetPart[],
  node: readonly string[],
): Promise<void> {
  const databases = await open(folder)
  const config = folder.write(
    testConfig({ ...databases.config, rest: { port: 0, body_limit_bytes: 10 * 1024 ** 2 } }),
    'sheet.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path, node })
  try {
    const token = await signIn(server.request, password)
    if (parts.includes('dependents')) await measureDependents(server, token)
    if (parts.includes('across')) await measureAcross(server, token)
    if (parts.includes('columns')) await measureColumns(server, token)
  } finally {
    await server.stop()
    await databases.close()
  }
}

async function measureColumns(server: ServerProcess, token: string): Promise<void> {
  await must(server, 'POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
  await fill(server)
  const { body } = await must(server, 'GET', `${AT}?limit=1`, {})
  await measure(server, token, body.data.items[0].id)
}

async function fill(server: ServerProcess): Promise<void> {
  for (let done = 0; done < RECORDS; done += PORTION) {
    const items = Array.from({ length: PORTION }, (_, one) => ({
      bike: `bike ${done + one}`,
      hours: one,
      rate: 42.5,
      note: 'as it came in',
    }))
    await must(server, 'POST', `${AT}/bulk`, { body: { items } })
  }
}

async function measure(server: ServerProcess, token: string, id: string): Promise<void> {
  console.log(`columns of a sheet with ${RECORDS} records, in milliseconds`)
  const waits = { read: [] as number[], write: [] as number[] }
  const over = new AbortController()
  const others = Promise.all([
    repeatedly(over.signal, waits.read, () => must(server, 'GET', `${AT}/${id}`, {})),
    repeatedly(over.signal, waits.write, () =>
      must(server, 'PATCH', `${AT}/${id}`, { body: { note: String(performance.now()) } }),
    ),
  ])
  const times = { add: [] as number[], rename: [] as number[], remove: [] as number[] }
  for (let one = 0; one < COLUMNS; one += 1) {
    const name = `column${one}`
    await timed(times.add, () =>
      must(server, 'POST', `${AT}/columns`, { token, body: { name, type: 'decimal' } }),
    )
    await timed(times.rename, () =>
      must(server, 'PATCH', `${AT}/columns/${name}`, { token, body: { name: `${name}b` } }),
    )
  }
  for (let one = 0; one < COLUMNS; one += 1)
    await timed(times.remove, () => must(server, 'DELETE', `${AT}/columns/column${one}b`, { token }))
  over.abort()
  await others
  print('a column more', times.add)
  print('another name for it', times.rename)
  print('a column less', times.remove)
  print('a read meanwhile', waits.read)
  print('a write meanwhile', waits.write)
  const filled: number[] = []
  for (const name of ['first', 'second', 'third'])
    await timed(filled, () =>
      must(server, 'POST', `${AT}/columns`, { token, body: { name, type: 'decimal', default: 5 } }),
    )
  print('a column more with a default', filled)
}

async function repeatedly(signal: AbortSignal, times: number[], work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await timed(times, work)
    await delay(2)
  }
}
