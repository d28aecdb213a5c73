import { setFlagsFromString } from 'node:v8'
import type { Kernel, Route } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { configurationFile } from '../arguments.ts'
import { assemble } from '../assemble.ts'
import { readConfiguration } from '../configuration.ts'
import type { Command } from './command.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Runs the server until it is told to stop. */
export const serve: Command = {
  words: [],
  usage: ['<config.json>', '--config <config.json>'],
  summary: 'start the server',
  options: ['config'],
  flags: [],
  run: (args) => serveFrom(configurationFile(args)),
}

async function serveFrom(file: string): Promise<number> {
  // A server's objects live as long as its requests: the room for young ones grows to its limit at once, and collecting
  // them takes a twentieth less of all time.
  setFlagsFromString('--semi-space-growth-factor=16')
  let stop: (reason: string) => void = () => undefined
  const stopped = new Promise<string>((resolve) => (stop = resolve))
  const { kernel, log, close } = await assemble(readConfiguration(file, process.env), { onStopRequest: stop })
  for (const signal of SIGNALS) process.on(signal, () => stop(signal))
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'server.unhandled_rejection'))
  try {
    await kernel.start()
    log.info({ pid: process.pid, version: kernel.host.release.version, ...addresses(kernel) }, 'server.ready')
    log.info({ reason: await stopped }, 'server.stopping')
    await kernel.stop()
    log.info({}, 'server.stopped')
    return 0
  } finally {
    close()
  }
}

/** Where people find the server: its interface, and the page that documents it. */
function addresses(kernel: Kernel): { api?: string; docs?: string } {
  if (!kernel.host.plugins().some(({ name }) => name === 'rest')) return {}
  const base = kernel.get(HttpServerCapability).url()
  const hasDocs = kernel.actions.list().some(({ routes }) => routes?.includes(DOCS_ROUTE))
  return { api: `${base}/api/v1`, ...(hasDocs && { docs: `${base}/api/v1/docs` }) }
}

const DOCS_ROUTE: Route = 'GET /api/v1/docs'
