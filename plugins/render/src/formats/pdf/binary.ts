import { createRequire } from 'node:module'

const LIBRARY = '@myriaddreamin/typst-ts-node-compiler'

/** How the packages of native code are called behind platform and processor. */
const VARIANTS = ['', '-gnu', '-musl', '-msvc', '-gnueabihf', 'eabi']

/** Whether the native code that sets pdf was installed for this platform. It is looked for, not loaded: that takes memory. */
export function hasPdfBinary(platform: string = process.platform, arch: string = process.arch): boolean {
  const { resolve } = createRequire(import.meta.url)
  try {
    const beside = createRequire(resolve(LIBRARY))
    return VARIANTS.some((variant) => isThere(beside, `${LIBRARY}-${platform}-${arch}${variant}`))
  } catch {
    return false
  }
}

function isThere({ resolve }: NodeJS.Require, name: string): boolean {
  try {
    resolve(name)
    return true
  } catch {
    return false
  }
}
