import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pack } from '../../apps/setup/pack.mjs'
import { createFolder, runProgram, type TestFolder } from '../kit/server-process.ts'
import { compilePlugin, unpack, useGuests, useServer } from './steps.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

// `npm run test:long` installs the same tarballs with npm.
describe('the packed program, laid out as npm would', () => {
  let folder: TestFolder
  beforeAll(async () => {
    folder = createFolder()
    unpack(await pack(ROOT, [join(folder.path, 'packed')]), folder.path)
  }, 120_000)
  afterAll(() => folder.remove())

  it('says its version', async () => {
    const program = join(folder.path, 'node_modules/svc/dist/main.js')
    const [tarball] = readdirSync(join(folder.path, 'packed')).filter((name) => /^svc-\d/.test(name))
    expect(await runProgram(['--version'], { program })).toMatchObject({
      code: 0,
      stdout: `${/^svc-(.*)\.tgz$/.exec(tarball!)![1]}\n`,
    })
  })

  it('serves a definition, with a plugin that was compiled against what is packed', async () => {
    await useServer(folder.path, compilePlugin(folder.path))
  }, 120_000)

  it("serves plugins whose copies of contracts and of Hono are not the server's", async () => {
    await useGuests(folder.path)
  }, 120_000)
})
