import type { ServerProcess } from '../kit/server-process.ts'
import { cpuOf } from './processor.ts'
import { print, timed } from './timing.ts'

/** Prints how long writes take, one after the other, and how much of the server's processor time each. */
export async function measureWrites(
  server: ServerProcess,
  count: number,
  what: string,
  write: (one: number) => Promise<unknown>,
): Promise<void> {
  const times: number[] = []
  const before = cpuOf(server.pid)
  for (let one = 0; one < count; one += 1) await timed(times, () => write(one))
  const spent = cpuOf(server.pid) - before
  print(what, times)
  console.log(`    processor ${(spent / count / 1000).toFixed(1)} ms each`)
}
