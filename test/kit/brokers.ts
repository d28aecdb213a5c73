import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The user `nobody`: the brokers' folders belong to it, where tests are run by root. */
const UNPRIVILEGED_ID = 65_534
const PATIENCE_MS = 90_000

/** A broker of this process, on a port of its own and with what it keeps in a folder of its own. */
export interface TestBroker {
  readonly url: string
  readonly port: number
  /** Ends it as an operator would, and starts it again with all that it kept. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** It lives as long as the standard input of the shell around it: it goes down with this process, even where that is killed. */
const SUPERVISE = '"$@" & broker=$!; cat > /dev/null; kill -TERM "$broker"; wait "$broker"'

const asNobody = () => (process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {})

/** Starts a Mosquitto that keeps sessions and messages through a restart. */
export async function startMosquitto(): Promise<TestBroker> {
  const folder = folderOfBroker()
  const port = await freePort()
  const file = join(folder, 'mosquitto.conf')
  writeFileSync(
    file,
    `listener ${port} 127.0.0.1
allow_anonymous true
persistence true
persistence_location ${folder}/
autosave_interval 1
max_queued_messages 100000
user root
`,
  )
  const command = [whichOf(['mosquitto', '/usr/sbin/mosquitto']), '-c', file]
  return broker(`mqtt://127.0.0.1:${port}`, port, folder, command, {})
}

/** Starts a RabbitMQ: guest may do everything. */
export async function startRabbit(): Promise<TestBroker> {
  const folder = folderOfBroker()
  const [port, further] = [await freePort(), await freePort()]
  const file = join(folder, 'rabbitmq.conf')
  writeFileSync(file, `listeners.tcp.1 = 127.0.0.1:${port}\nloopback_users = none\n`)
  writeFileSync(join(folder, 'plugins'), '[].\n')
  const command = [whichOf(['/usr/lib/rabbitmq/bin/rabbitmq-server', 'rabbitmq-server'])]
  return broker(`amqp://guest:guest@127.0.0.1:${port}`, port, folder, command, {
    RABBITMQ_NODENAME: `svc-test-${port}@localhost`,
    RABBITMQ_DIST_PORT: String(further),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_CONFIG_FILE: file,
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    // As few threads as there is work for.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none',
  })
}

function folderOfBroker(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-broker-'))
  mkdirSync(join(folder, 'log'))
  const { uid, gid } = asNobody()
  if (uid !== undefined && gid !== undefined)
    for (const one of [folder, join(folder, 'log')]) chownSync(one, uid, gid)
  return folder
}

/** The first of these programs that is there. */
function whichOf(names: readonly string[]): string {
  const found = names.find((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0)
  if (found === undefined) throw new Error(`the tests of brokers need ${names.join(' or ')}: install it`)
  return found
}

async function broker(
  url: string,
  port: number,
  folder: string,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<TestBroker> {
  const start = async () => {
    const said: string[] = []
    const shell = spawn('/bin/sh', ['-c', SUPERVISE, 'sh', ...command], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8', ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...asNobody(),
    })
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk: Buffer) => said.length < 1000 && void said.push(chunk.toString()))
    await listening(port, shell, said)
    return shell
  }
  const end = async (shell: ChildProcess) => {
    if (shell.exitCode !== null) return
    const closed = once(shell, 'exit')
    shell.stdin?.end()
    await closed
  }
  let shell = await start()
  return {
    url,
    port,
    async restart() {
      await end(shell)
      shell = await start()
    },
    async stop() {
      await end(shell)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until a port takes connections. */
async function listening(port: number, shell: ChildProcess, said: readonly string[]): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  while (!(await isOpen(port))) {
    if (shell.exitCode !== null || Date.now() > until)
      throw new Error(`the broker did not come up: ${said.join('')}`)
    await delay(100)
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const told = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => told(true)).once('error', () => told(false))
  })

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
