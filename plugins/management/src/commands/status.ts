import type { Command } from '../command.ts'

/** Tells how long the process runs (seconds), what it takes (bytes) and how much it has loaded. */
export const status: Command = {
  name: 'status',
  run({ actions, host }) {
    const { rss, heapTotal, heapUsed } = process.memoryUsage()
    return {
      version: host.release.version,
      uptime: Math.floor(process.uptime()),
      memory: { rss, heapTotal, heapUsed },
      plugins: host.plugins().length,
      actions: actions.list().length,
    }
  },
}
