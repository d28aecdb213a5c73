import { Session } from 'node:inspector'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { configurationFile } from '../arguments.ts'
import { assemble } from '../assemble.ts'
import { type Configuration, readConfiguration } from '../configuration.ts'
import { firstAdmin } from '../first-admin.ts'
import { logAccess } from '../logging/access.ts'
import type { Administrator } from './administrator.ts'
import { type Command, CONFIG, type Terminal } from './command.ts'
import { shownOnce, stateOf, welcome } from './welcome.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Runs the server until it is told to stop. */
export const serve: Command = {
  words: [],
  usage: ['<config.json>', '--config <config.json> [--first-admin]'],
  summary: 'start the server',
  about: `Starts the server and runs it until SIGTERM, SIGINT or SIGHUP, or the management socket, ask it to stop; what is in flight is
finished first. Before anything is changed, every address is tried and every named file is read. A start ends with one block that says
where the server is found and how to get in; where the log is JSON on standard output, the event \`server.ready\` says the same.`,
  options: {
    config: CONFIG,
    'first-admin': {
      about: "Make the administrator 'admin' where there is none, and show its password, once",
    },
  },
  run: (args, terminal) => serveFrom(configurationFile(args), args.flags.has('first-admin'), terminal),
}

/** What V8 is told of a server's objects, which live as long as its requests. */
const HEAP_FLAGS = [
  '--no-parallel-scavenge', // few of the young objects are still in use when they are collected: sharing that out takes longer than it does
  '--semi-space-growth-factor=16', // the room for young objects grows to its limit at once: they are collected less often
  '--no-allocation-site-pretenuring', // none is made among the old ones because many like it lived long: with it, all of its request would stay
  '--heap-growing-percent=40', // the old ones are collected once they are two fifths more: what died among them would stay for long
]

async function serveFrom(file: string, makesAdmin: boolean, terminal: Terminal): Promise<number> {
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag)
  let stop: (reason: string) => void = () => undefined
  const stopped = new Promise<string>((resolve) => (stop = resolve))
  let made: Administrator | undefined
  const configuration = readConfiguration(file, process.env)
  const { kernel, log, close } = await assemble(configuration, {
    more: makesAdmin ? [firstAdmin((one) => (made = one))] : [],
    onStopRequest: stop,
  })
  // It is kept, whatever becomes of this start: nobody would ever be told its password.
  const tellKept = () => {
    if (made) terminal.err(`${shownOnce(made)}\n`)
  }
  if (configuration.logging.access) logAccess(kernel.bus, log)
  for (const signal of SIGNALS) process.on(signal, () => stop(signal))
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'server.unhandled_rejection'))
  try {
    // A start that hangs is stopped as well.
    const interrupted = await Promise.race([kernel.start(), stopped]).catch((error: unknown) => {
      tellKept()
      throw error
    })
    if (interrupted === undefined) {
      const state = await stateOf(kernel)
      log.info({ pid: process.pid, ...state }, 'server.ready')
      if (showsBlock(configuration)) terminal.out(welcome(state, configuration.path, made, terminal))
      else tellKept()
      void pause(1000, undefined, { ref: false }).then(forgetStart)
    }
    log.info({ reason: await stopped }, 'server.stopping')
    await kernel.stop()
    // What was under way when it was interrupted has come to its end.
    if (interrupted !== undefined) tellKept()
    log.info({}, 'server.stopped')
    return 0
  } finally {
    close()
  }
}

/** Where the log is lines for machines, these are all that they may find on standard output. */
const showsBlock = ({ logging: { format, file } }: Configuration): boolean =>
  format === 'text' || file !== undefined

/**
 * Has V8 collect what the start has left behind, and give the room back: by itself it does neither before it needs room,
 * which a server at rest never does.
 */
function forgetStart(): void {
  const session = new Session()
  session.connect()
  // Left within its own answer it would wait for itself.
  session.post('HeapProfiler.collectGarbage', () => setImmediate(() => session.disconnect()))
}
