import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Config } from '@svc/kernel'
import { createRequest, type SendRequest } from './request.ts'

/** The built program, as users run it. */
export const PROGRAM = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url))

const START_PATIENCE_MS = 20_000
const SECRET = 'a secret of tests that is long enough'

/** What a run of the program has written so far. */
export interface Output {
  readonly stdout: string
  readonly stderr: string
}

/** How one run of the program ended. */
export interface Ended extends Output {
  readonly code: number | null
}

export interface SpawnOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** The program to run; the one that was built here unless said. */
  readonly program?: string
  /** Options of Node itself. */
  readonly node?: readonly string[]
}

/** Runs the program to its end. */
export const runProgram = (args: readonly string[], options: SpawnOptions = {}): Promise<Ended> =>
  ended(spawnProgram(args, options))

/** Runs Node on something else to its end. */
export const runNode = (args: readonly string[], options: SpawnOptions = {}): Promise<Ended> =>
  ended(spawnNode(args, options))

async function ended(child: ChildProcess): Promise<Ended> {
  const output = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}

/** A configuration for a server of its own in `folder`; sections are laid over it. */
export const testConfig = (sections: Config): Config => ({
  logging: { level: 'info', format: 'json' },
  rest: { port: 0 },
  auth: { jwt: { secret: SECRET } },
  rate_limit: { enabled: false },
  ...sections,
})

/** Makes the administrator of a configuration's store; answers the password. */
export async function createAdmin(config: string, options: SpawnOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram(['admin', 'create', '--config', config], options)
  const password = /^password:\s+(\S+)$/m.exec(stdout)?.[1]
  if (code !== 0 || password === undefined) throw new Error(`no administrator was made: ${stderr}`)
  return password
}

/** Signs the administrator in; answers an access token. */
export async function signIn(request: SendRequest, password: string): Promise<string> {
  const { body } = await request('POST', '/api/v1/auth/login', { body: { username: 'admin', password } })
  return body.data.access_token
}

/** A folder for one test, with the means to put a configuration into it. */
export interface TestFolder {
  readonly path: string
  /** Writes `svc.json`, or another file, and answers its path. */
  write(content: unknown, name?: string): string
  remove(): void
}

/** Makes an empty folder. */
export function createFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'svc-test-'))
  return {
    path,
    write(content, name = 'svc.json') {
      const file = join(path, name)
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
      return file
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  readonly request: SendRequest
  readonly output: Output
  /** Resolves with the first log event of this name, an earlier one too. Rejects when the process ends without it. */
  logged(event: string): Promise<LogEvent>
  kill(signal: NodeJS.Signals): void
  /** Resolves with the exit code; null after a signal that cannot be caught. */
  readonly exited: Promise<number | null>
  /** Asks it to stop, waits, and answers the exit code. */
  stop(): Promise<number | null>
}

export interface LogEvent {
  readonly msg: string
  readonly [field: string]: unknown
}

/** Starts the program on a configuration file and waits until it listens. Throws with its output when it ends first. */
export async function startServer(config: string, options: SpawnOptions = {}): Promise<ServerProcess> {
  const child = spawnProgram(['--config', config], options)
  const output = collect(child)
  const exited = once(child, 'close').then(([code]) => code as number | null)
  const logged = listenToLog(child, exited, output)
  const giveUp = setTimeout(() => child.kill('SIGKILL'), START_PATIENCE_MS)
  const url = String((await logged('rest.listening').finally(() => clearTimeout(giveUp)))['url'])
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  return {
    url,
    pid: child.pid!,
    request: createRequest(url, fetch),
    output,
    logged,
    kill,
    exited,
    stop() {
      kill('SIGTERM')
      return exited
    },
  }
}

/** Node at work on something that writes for people. */
export interface NodeProcess {
  readonly output: Output
  /** Resolves with the match once it has written something like that. Rejects when it ends without. */
  said(what: RegExp): Promise<RegExpExecArray>
  /** Sends a signal, waits, and answers the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts the program, whatever the format of its log. */
export const startProgram = (args: readonly string[], options: SpawnOptions = {}): NodeProcess =>
  observed(spawnProgram(args, options))

/** Starts Node on something else. */
export const startNode = (args: readonly string[], options: SpawnOptions = {}): NodeProcess =>
  observed(spawnNode(args, options))

function observed(child: ChildProcess): NodeProcess {
  const output = collect(child)
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return {
    output,
    said: (what) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = what.exec(output.stdout)
          if (found) resolve(found)
        }
        child.stdout!.on('data', look)
        look()
        void exited.then(() => reject(new Error(`ended without ${what}: ${output.stdout}${output.stderr}`)))
      }),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

function spawnProgram(
  args: readonly string[],
  { node = [], program = PROGRAM, ...options }: SpawnOptions,
): ChildProcess {
  if (!existsSync(program)) throw new Error(`${program} is missing`)
  return spawnNode([...node, program, ...args], options)
}

function spawnNode(args: readonly string[], { cwd, env }: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, args, {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const cutOff = () => child.kill('SIGKILL')
  process.once('exit', cutOff)
  child.once('close', () => process.off('exit', cutOff))
  return child
}

function collect(child: ChildProcess): Output {
  const output = { stdout: '', stderr: '' }
  child.stdout!.on('data', (chunk: Buffer) => void (output.stdout += chunk.toString()))
  child.stderr!.on('data', (chunk: Buffer) => void (output.stderr += chunk.toString()))
  return output
}

function listenToLog(child: ChildProcess, exited: Promise<unknown>, output: Output): ServerProcess['logged'] {
  const seen = new Map<string, LogEvent>()
  const heard = new EventEmitter()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const event = eventOf(line)
    if (event === undefined || seen.has(event.msg)) return
    seen.set(event.msg, event)
    heard.emit(event.msg, event)
  })
  return (name) =>
    new Promise((resolve, reject) => {
      const known = seen.get(name)
      if (known !== undefined) return resolve(known)
      heard.once(name, resolve)
      void exited.then(() => reject(new Error(`ended without '${name}': ${output.stdout}${output.stderr}`)))
    })
}

function eventOf(line: string): LogEvent | undefined {
  return line.startsWith('{') ? (JSON.parse(line) as LogEvent) : undefined
}
