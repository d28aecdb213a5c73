import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { rotatingFile } from './rotating-file.ts'

it('writes files that nobody but their owner can read, in a folder of the same kind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'new', 'svc.log')
  const sink = rotatingFile(path, 10, 3)
  for (const line of ['one of many\n', 'two of many\n', 'three of many\n']) sink.write(line)
  sink.close()
  const rights = (file: string) => (statSync(file).mode & 0o777).toString(8)
  expect(readFileSync(path, 'utf8')).toBe('three of many\n')
  for (const file of [path, `${path}.1`, `${path}.2`]) expect([file, rights(file)]).toEqual([file, '600'])
  expect(rights(join(folder, 'new'))).toBe('700')
  expect(existsSync(`${path}.3`)).toBe(false)
})
