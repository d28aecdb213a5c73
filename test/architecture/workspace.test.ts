import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BUILT_IN } from '../../apps/server/src/plugins.ts'
import { renew, statements } from '../../apps/setup/workspace.mjs'
import { packagesIn, ROOT } from './sources.ts'

/** What to do where one of these fails. */
const REMEDY = "run 'npm run workspace'"

describe('the workspace', () => {
  it.each(statements(ROOT).map((one) => [one.file, one] as const))(
    '%s names the packages that are imported',
    (_, { written, wanted }) => {
      expect(written, REMEDY).toEqual(wanted)
    },
  )

  it('has every package compiled with the server', () => {
    const reached = new Set<string>()
    const follow = (folder: string) => {
      if (reached.has(folder)) return
      reached.add(folder)
      const { references } = JSON.parse(readFileSync(join(ROOT, folder, 'tsconfig.json'), 'utf8'))
      for (const { path } of references) follow(join(folder, path))
    }
    follow('.')
    const missing = packagesIn('plugins').filter(({ folder }) => !reached.has(folder))
    expect(
      missing.map(({ manifest: { name } }) => `export { … } from '${name}'`),
      'add these lines to apps/server/src/standard.ts, or import the packages elsewhere',
    ).toEqual([])
  })

  it('has every plugin of the list under its own name, once', async () => {
    const standard = await import('../../apps/server/src/standard.ts')
    const listed = Object.values(standard).map(({ name }) => name)
    expect(Object.keys(BUILT_IN)).toEqual(listed.toSorted())
    expect(new Set(listed).size).toBe(listed.length)
  })

  it('takes a new plugin by its folder and one line', () => {
    const root = copyOfHouse()
    const folder = join(root, 'plugins/greeter')
    cpSync(join(ROOT, 'plugins/system/tsconfig.json'), join(folder, 'tsconfig.json'))
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: '@svc/greeter', type: 'module' }))
    writeFileSync(join(folder, 'src/index.ts'), "import { definePlugin } from '@svc/kernel'\n")
    const list = join(root, 'apps/server/src/standard.ts')
    writeFileSync(list, `${readFileSync(list, 'utf8')}export { greeter } from '@svc/greeter'\n`)

    expect(renew(root)).toEqual([
      'plugins/greeter/package.json',
      'apps/server/package.json',
      'apps/server/tsconfig.json',
    ])
    expect(renew(root)).toEqual([])
    const read = (file: string) => readFileSync(join(root, file), 'utf8')
    expect(read('apps/server/package.json')).toContain('"@svc/greeter": "workspace:*"')
    expect(read('apps/server/package.json')).toContain('"pino": ')
    expect(read('apps/server/tsconfig.json')).toContain('"../../plugins/greeter"')
  })
})

/** The packages of the house without what was installed or built. */
function copyOfHouse(): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-workspace-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const isWanted = (path: string) => !/[/\\](node_modules|dist|examples)$/.test(path)
  for (const folder of ['kernel', 'plugins', 'apps/server'])
    cpSync(join(ROOT, folder), join(root, folder), { recursive: true, filter: isWanted })
  return root
}
