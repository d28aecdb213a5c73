import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PROGRAM } from '../kit/server-process.ts'

/** One fenced block of a page; `info` is what stands after the language: the name of a file, or what a shell is for. */
export interface Block {
  readonly language: string
  readonly info: string
  readonly text: string
  readonly line: number
}

/** The fenced blocks of a page in their order. */
export const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^```(\w+) *(\S*)\n(.*?)^```$/gms)].map(
    ({ index, 1: language = '', 2: info = '', 3: text = '' }) => ({
      language,
      info,
      text,
      line: page.slice(0, index).split('\n').length,
    }),
  )

/** What a block of commands did. */
export interface Ran {
  /** Standard output. */
  readonly output: string
  /** Whether every command ended well, and what was said of those that did not. */
  readonly isWell: boolean
  readonly complaints: string
}

/** A shell in a folder of its own, and a server that its commands start and talk to. */
export interface PageShell {
  run(commands: string): Promise<Ran>
  /** Writes a file; a script is there once the server has loaded it. */
  write(file: string, text: string): Promise<void>
  /** Starts the server by the command that a reader would use; one that runs is stopped as by Ctrl+C. */
  serve(command: string): Promise<void>
  stop(): Promise<void>
}

const PATIENCE_MS = 60_000
const BIN = join(import.meta.dirname, '../../node_modules/.bin')
const DONE = '=== done'

/** A PageShell; `store` stands in the configuration in place of SQLite, and `port` in place of the usual one. */
export function startPageShell(port: number, store: object | undefined): PageShell {
  const root = mkdtempSync(join(tmpdir(), 'svc-page-'))
  const programs = join(root, 'bin')
  const shown = { password: '' }
  program(programs, 'svc', `exec "${process.execPath}" "${PROGRAM}" "$@"`)
  program(programs, 'npx', `name=$1; shift; exec "${BIN}/$name" "$@"`)
  const env = { PATH: `${programs}:${process.env['PATH']}`, HOME: root }
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: root, env, stdio: 'pipe' })
  const said = { out: '', err: '' }
  shell.stdout.on('data', (chunk: Buffer) => void (said.out += chunk.toString()))
  shell.stderr.on('data', (chunk: Buffer) => void (said.err += chunk.toString()))
  shell.stdin.write("set -o pipefail\ntrap 'FAILED=1' ERR\n")
  let server: ChildProcess | undefined
  let told = ''

  const adapted = (text: string) =>
    text.replaceAll('8080', String(port)).replaceAll(/<the password [^>]*>/g, shown.password)
  const folder = async () => (await run('pwd')).output.trim()

  async function run(commands: string): Promise<Ran> {
    said.out = ''
    said.err = ''
    shell.stdin.write(`FAILED=0\n${adapted(commands)}\necho "${DONE} $FAILED"\n`)
    await until(
      () => new RegExp(`${DONE} [01]\\n`).test(said.out),
      () => said.out + said.err,
    )
    const [output = '', failed] = said.out.split(DONE)
    const configuration = join(root, 'bakery/svc.json')
    if (existsSync(configuration))
      writeFileSync(configuration, configured(readFileSync(configuration, 'utf8')))
    return { output, isWell: failed?.trim() === '0', complaints: said.err }
  }

  const configured = (text: string): string =>
    store === undefined
      ? adapted(text)
      : adapted(text).replace(/"sqlite": \{[^}]*\}/, JSON.stringify(store).slice(1, -1))

  const end = async () => {
    if (server === undefined || server.exitCode !== null) return
    const closed = once(server, 'close')
    server.kill('SIGINT')
    await closed
  }

  return {
    run,
    async write(file, text) {
      const before = told.length
      const path = join(root, 'bakery', file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, file === 'svc.json' ? configured(text) : text)
      if (server?.exitCode !== null || !file.startsWith('scripts/')) return
      await until(
        () => told.slice(before).includes('script.loaded'),
        () => told.slice(before),
      )
    },
    async serve(command) {
      await end()
      const started = spawn('bash', ['-c', `exec ${command}`], {
        cwd: await folder(),
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      server = started
      told = ''
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (chunk: Buffer) => void (told += chunk.toString()))
      await until(
        () => /is ready\n[^]*Stop /.test(told),
        () => told,
      )
      shown.password = /Password +(\S+) \(/.exec(told)?.[1] ?? shown.password
    },
    async stop() {
      await end()
      shell.stdin.end()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function program(folder: string, name: string, command: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
}

async function until(isSo: () => boolean, said: () => string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`it did not come to an end: ${said()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
