import { watch } from 'node:fs'
import type { Close, Logger } from '@svc/kernel'

/** An editor writes a file in several steps, and a deployment several files. */
const SETTLE_MS = 100

/** Calls `changed` when something in a folder has changed and is quiet again; what it returns ends that. */
export function watchFolder(dir: string, changed: () => void, log: Logger): Close {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(dir, { persistent: false }, () => {
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLE_MS)
  })
  watcher.on('error', (error) => log.error({ dir, err: error }, 'scripting.not_watched'))
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
