import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { resolvePlugin } from './resolve-plugin.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-resolve-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a module that is no plugin', () => {
  it.each([
    ['{ phase: "domain", setup() {} }', "has no 'name'"],
    ['{ name: "a", phase: "domain" }', "the plugin 'a' that the module exports has no function 'setup'"],
    ['{ name: "a", phase: "domian", setup() {} }', `has the phase "domian" (did you mean 'domain'?)`],
    ['{ name: "a", setup() {} }', 'has the phase undefined (there are transport, store,'],
    ['5', 'the module exports no plugin'],
  ])('%s is told what is wrong with it', async (plugin, message) => {
    const name = `${Buffer.from(plugin).toString('hex')}.mjs`
    writeFileSync(join(folder, name), `export const plugin = ${plugin}\n`)
    await expect(resolvePlugin(`./${name}`, folder)).rejects.toThrow(message)
  })
})
