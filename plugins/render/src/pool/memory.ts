import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The memory that a process has at this moment, in bytes; 0 where the system does not tell. */
export async function memoryOf(pid: number): Promise<number> {
  for (const kilobytes of [byFile, byCommand]) {
    const found = await kilobytes(pid).catch(() => 0)
    if (found > 0) return found * 1024
  }
  return 0
}

/** As Linux writes it down. */
export async function byFile(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
}

/** As POSIX has it told: elsewhere than on Linux there is no such file. */
export async function byCommand(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout.trim())
}
