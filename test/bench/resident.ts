import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerProcess } from '../kit/server-process.ts'

/** What a process keeps in memory, in MiB, as Linux tells it. */
export function residentMib(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/** Options of Node by which a server can be told to collect its garbage. */
export const COLLECTING = [
  '--expose-gc',
  '--import',
  `data:text/javascript,process.on('SIGUSR2',()=>globalThis.gc())`,
]
/** How long a collection may take, in milliseconds. */
const COLLECTION_MS = 2000

/** What a server that was started so keeps, without what it has not taken away yet, in MiB. */
export async function collectedMib({ pid, kill }: Pick<ServerProcess, 'pid' | 'kill'>): Promise<number> {
  kill('SIGUSR2')
  await pause(COLLECTION_MS)
  return residentMib(pid)
}
