import { expect, it } from 'vitest'
import long from '../long/vitest.config.ts'
import { SOURCES } from './sources.ts'

const included: readonly string[] = long.test?.include ?? []

/** Whether the long run has a file, named or by the folder that it is in. */
const isIncluded = (path: string): boolean =>
  included.some((one) => {
    const [folder, rest] = one.split('/**/')
    return rest === undefined
      ? one === path
      : path.startsWith(`${String(folder)}/`) && path.endsWith('.test.ts')
  })

it('every test that goes further in the long run is in it', () => {
  const further = SOURCES.filter(
    ({ path, imports }) =>
      path.endsWith('.test.ts') && imports.some(({ specifier }) => specifier.endsWith('kit/size.ts')),
  )
  expect(further.length).toBeGreaterThan(50)
  expect(further.filter(({ path }) => !isIncluded(path)).map(({ path }) => path)).toEqual([])
})
