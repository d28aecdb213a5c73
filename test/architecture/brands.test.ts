import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packagesIn, ROOT } from './sources.ts'

/** What plugins from elsewhere can import: the kernel, and the contracts. */
const OFFERED = [
  'kernel/src/index.ts',
  ...packagesIn('plugins').map(({ folder }) => `${folder}/src/contract.ts`),
].filter((file) => existsSync(join(ROOT, file)))

const isClass = (value: unknown): boolean =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))

describe.each(OFFERED)('%s', (file) => {
  it('brands its classes, so that objects of another copy of it are known', async () => {
    const module = (await import(join(ROOT, file))) as object
    const classes = Object.entries(module).filter(([, value]) => isClass(value))
    const plain = classes.filter(([, value]) => !Object.hasOwn(value as object, Symbol.hasInstance))
    expect(plain.map(([name]) => name)).toEqual([])
  })
})
