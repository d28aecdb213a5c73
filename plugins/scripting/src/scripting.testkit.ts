import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Accounts, AccountsCapability } from '@svc/auth/contract'
import { createKernel, defineAction, definePlugin, type Kernel, type Logger } from '@svc/kernel'
import { scripting } from './index.ts'

/** A log event of a test. */
export interface Logged {
  readonly event: string
  readonly level: string
  readonly [field: string]: unknown
}

/** A kernel with scripts and an action that they can call, and nothing else. */
export interface ScriptKernel {
  readonly kernel: Kernel
  readonly dir: string
  /** Everything that was logged. */
  readonly logs: readonly Logged[]
  /** What scripts have called `told` with. */
  readonly told: readonly unknown[]
  write(file: string, text: string): void
  remove(file: string): void
  /** Asks the handlers of an event. */
  ask(name: string, event?: object): Promise<readonly unknown[]>
  stop(): Promise<void>
}

/** Starts a kernel over a folder of scripts. Rejects where they are not right, and leaves nothing behind. */
export async function startScripts(
  files: Readonly<Record<string, string>>,
  config: object = {},
): Promise<ScriptKernel> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-scripts-'))
  const logs: Logged[] = []
  const told: unknown[] = []
  const write = (file: string, text: string) => writeFileSync(join(dir, file), text)
  for (const [file, text] of Object.entries(files)) write(file, text)
  const kernel = createKernel({
    config: { scripting: { dir, ...config } },
    plugins: [accounts, world(told), scripting],
    log: collector(logs),
  })
  const stop = async () => {
    await kernel.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    await kernel.start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    kernel,
    dir,
    logs,
    told,
    write,
    remove: (file) => rmSync(join(dir, file)),
    ask: (name, event = {}) => kernel.bus.invoke(name, event),
    stop,
  }
}

const accounts = definePlugin({
  name: 'auth',
  phase: 'auth',
  provides: AccountsCapability,
  setup: () => ({ find: async () => undefined }) as unknown as Accounts,
})

const world = (told: unknown[]) =>
  definePlugin({
    name: 'world',
    phase: 'domain',
    setup({ actions, bus }) {
      const action = (name: string, handle: (input: { name: string }) => unknown) =>
        actions.add(defineAction({ name, access: ['*'], handle }))
      action('told', (input) => void told.push(input))
      action('again', async ({ name }) => (await bus.invoke(name, { hook: name })).at(0))
      action('emit', ({ name }) => bus.emit(name, {}))
      action('fail', () => {
        throw new Error('a secret of the server')
      })
    },
  })

function collector(logs: Logged[], more: object = {}): Logger {
  const write = (level: string) => (fields: object, event: string) =>
    void logs.push({ ...more, ...fields, event, level })
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => collector(logs, { ...more, ...fields }),
  }
}
