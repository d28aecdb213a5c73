import { readFileSync } from 'node:fs'

/** The unit of processor times in Linux's /proc, in microseconds. */
const TICK_US = 10_000

/** The processor time that a process has used, in microseconds. */
export function cpuOf(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? ''
  const [user = 0, system = 0] = afterName.split(' ').slice(11, 13).map(Number)
  return (user + system) * TICK_US
}
