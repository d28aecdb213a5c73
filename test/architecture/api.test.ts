import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { apiOf } from './api.ts'
import { packagesIn, ROOT } from './sources.ts'

/** What plugins from elsewhere are compiled against, by the name of its report. */
const OFFERED: readonly (readonly [name: string, entry: string])[] = [
  ['kernel', 'kernel/dist/index.d.ts'],
  ...packagesIn('plugins')
    .filter(({ folder }) => existsSync(join(ROOT, folder, 'src/contract.ts')))
    .map(({ folder }) => [folder.replace('plugins/', ''), `${folder}/dist/contract.d.ts`] as const),
]

const REMEDY =
  "the public API changed: where that is meant, run 'npx tsc -b && npx vitest run test/architecture/api.test.ts -u' and commit the report"

describe('the public API', () => {
  it.each(OFFERED)('of %s is the one of its report', async (name, entry) => {
    const report = join(ROOT, 'test/architecture/api', `${name}.api.txt`)
    await expect(apiOf(join(ROOT, entry)), REMEDY).toMatchFileSnapshot(report)
  })
})
