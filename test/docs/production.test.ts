import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKernel } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { BUILT_IN, ServerSections, standardPlugins } from '@svc/server'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../kit/test-kernel.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const page = readFileSync(join(DOCS, 'production.md'), 'utf8')
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\b[^\\n]*\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  )

describe('docs/production.md', () => {
  it('shows configurations that the server takes', () => {
    const shown = blocks('json').map((text): Record<string, unknown> =>
      JSON.parse(text.replaceAll(/\$\{\w+\}/g, 'the value of a variable that is long enough')),
    )
    expect(shown.length).toBeGreaterThan(1)
    const schemas = new Map<string, { safeParse(value: unknown): { success: boolean } }>([
      ...Object.entries(ServerSections.shape),
      ...Object.entries(BUILT_IN).flatMap(([plugin, { section = plugin, config }]) =>
        config === undefined ? [] : [[section, config] as const],
      ),
    ])
    const refused = shown.flatMap((sections) =>
      Object.entries(sections)
        .filter(([name, value]) => schemas.get(name)?.safeParse(value).success !== true)
        .map(([name]) => name),
    )
    expect(refused).toEqual([])
  })

  it('names keys that the configuration has', () => {
    const known = readFileSync(join(DOCS, 'configuration.md'), 'utf8')
    const sections = [...known.matchAll(/^## `(\w+)`$/gm)].map(([, name = '']) => name)
    const named = [...page.matchAll(/`(\w+)\.(\w+(?:\.\w+)*)`/g)].filter(([, name = '']) =>
      sections.includes(name),
    )
    expect(named.length).toBeGreaterThan(10)
    const unknown = named.filter(([, section = '', key = '']) => {
      const [, rows = ''] = known.split(`## \`${section}\``)
      return !rows.split('\n## ')[0]!.includes(`| \`${key}\` |`)
    })
    expect(unknown.map(([name]) => name)).toEqual([])
  })
})

const TASKS = '/api/v1/diary/tasks'
const DIARY = `
domain:
  name: diary
  version: '1'
  resources: { Task: { object: { title: string }, permissions: { list: ['*'], create: ['*'] } } }
`

describe('a backup of SQLite by the statements that the page shows', () => {
  it('is whole while the server writes, and a server starts on it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-backup-'))
    const sqlite = { path: join(folder, 'app.db') }
    const live = await startTestKernel({ store: STORES[0]!, config: { sqlite }, definition: DIARY })
    onTestFinished(async () => {
      await live.stop()
      rmSync(folder, { recursive: true })
    })
    await write(live, 20)
    const writing = write(live, 20)
    backUp(folder)
    await writing

    const sections = {
      sqlite: { path: join(folder, 'backup/app.db') },
      rest: { port: 0 },
      auth: { jwt: { secret: 'another secret that is long enough' } },
    }
    const restored = createKernel({ config: sections, plugins: standardPlugins(sections) })
    await restored.start()
    onTestFinished(() => restored.stop())
    const { url, fetch } = restored.get(HttpServerCapability)
    const answer = await fetch(new Request(new URL(TASKS, url())))
    const { data } = (await answer.json()) as { data: { totalCount: number } }
    expect(data.totalCount).toBeGreaterThanOrEqual(20)
    expect(data.totalCount).toBeLessThanOrEqual(40)
  })
})

async function write({ request }: TestKernel, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const { status } = await request('POST', TASKS, { body: { title: `number ${number}` } })
    expect(status).toBe(201)
  }
}

/** Runs the page's statements on the files in `folder`; the copies stand in `backup` beside them. */
function backUp(folder: string): void {
  mkdirSync(join(folder, 'backup'))
  const statements = [...page.matchAll(/^sqlite3 \S*\/(\S+) "(VACUUM INTO '(backup\/[^']+)')"$/gm)]
  expect(statements.map(([, file]) => file)).toEqual(['app.db', 'app.journal.db'])
  for (const [, file = '', statement = '', copy = ''] of statements) {
    const database = new Database(join(folder, file))
    database.exec(statement.replace(copy, join(folder, copy)))
    database.close()
  }
}
