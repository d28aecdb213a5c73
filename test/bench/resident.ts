import { readFileSync } from 'node:fs'

/** What a process keeps in memory, in MiB, as Linux tells it. */
export function residentMib(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}
