import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '@svc/kernel'

/** Runs `work` with the section `sqlite` of an empty store that nobody keeps. */
export async function withEmptyStore<T>(work: (section: Config) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-empty-'))
  try {
    return await work({ path: join(folder, 'empty.db') })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
