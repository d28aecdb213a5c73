import {
  type Config,
  createKernel,
  definePlugin,
  errors,
  type KernelOptions,
  silentLogger,
  StartupError,
} from '@svc/kernel'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { askServer, type Command, ManagementCapability } from './contract.ts'
import { management } from './index.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'management-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** A listener for the host's request to stop, and the reason once it came. */
function stopRequest() {
  let onStopRequest: (reason: string) => void = () => undefined
  const reason = new Promise<string>((resolve) => (onStopRequest = resolve))
  return { onStopRequest, reason }
}

async function start(options: Partial<KernelOptions> & { socket?: string } = {}) {
  const { socket = join(folder(), 'm.sock'), ...rest } = options
  const kernel = createKernel({ plugins: [management], ...rest, config: { management: { socket } } })
  await kernel.start()
  onTestFinished(() => kernel.stop())
  return { kernel, socket }
}

/** A connection that hands out the answers one by one. */
async function dial(path: string) {
  const socket = connect({ path, allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    return done ? undefined : JSON.parse(value)
  }
  return { socket, next }
}

const ask = async (path: string, text: string) => {
  const { socket, next } = await dial(path)
  socket.write(`${text}\n`)
  return next()
}

/** Writes one piece and lets it arrive alone. */
const writePiece = (socket: Socket, piece: Uint8Array | string) =>
  new Promise<void>((resolve) => socket.write(piece, () => setImmediate(resolve)))

describe('commands', () => {
  it('status tells version, uptime, memory and counts', async () => {
    const { socket } = await start({ release: { version: '9.9.9', build: '', commit: '' } })
    const answer = await ask(socket, '{"cmd":"status"}')
    expect(answer).toMatchObject({ ok: true, data: { version: '9.9.9', plugins: 1, actions: 0 } })
    expect(answer.data.memory.rss).toBeGreaterThan(0)
    expect(Number.isInteger(answer.data.uptime)).toBe(true)
  })

  it('plugins lists each with phase and status', async () => {
    const { socket } = await start()
    expect(await ask(socket, '{"cmd":"plugins"}')).toEqual({
      ok: true,
      data: { plugins: [{ name: 'management', phase: 'transport', status: 'ready' }] },
    })
  })

  it('actions lists each by name, with its access and routes', async () => {
    const add = definePlugin({
      name: 'other',
      phase: 'domain',
      setup: ({ actions }) =>
        actions.add(
          { name: 'b', access: ['admin'], routes: ['GET /b'], handle: () => null },
          { name: 'a', access: 'record', handle: () => null },
        ),
    })
    const { socket } = await start({ plugins: [management, add] })
    expect((await ask(socket, '{"cmd":"actions"}')).data).toEqual({
      count: 2,
      actions: [
        { name: 'a', access: 'record', routes: [] },
        { name: 'b', access: ['admin'], routes: ['GET /b'] },
      ],
    })
  })

  it('shutdown answers and then asks the process to stop', async () => {
    const { onStopRequest, reason } = stopRequest()
    const { socket } = await start({ onStopRequest })
    expect(await ask(socket, '{"cmd":"shutdown"}')).toEqual({ ok: true, data: { stopping: true } })
    expect(await reason).toBe('management.shutdown')
  })

  it('shutdown stops the process also where the caller does not wait', async () => {
    const { onStopRequest, reason } = stopRequest()
    const { socket } = await start({ onStopRequest })
    connect(socket).end('{"cmd":"shutdown"}\n').destroySoon()
    expect(await reason).toBe('management.shutdown')
  })

  it('an unknown one is answered with the known ones and the nearest', async () => {
    const { socket } = await start()
    const { ok, error } = await ask(socket, '{"cmd":"statsu"}')
    expect(ok).toBe(false)
    expect(error).toContain("Did you mean 'status'?")
    expect(error).toContain('status, plugins, actions, shutdown')
  })
})

describe('a plugin', () => {
  const greet: Command = {
    name: 'greet',
    input: z.object({ name: z.string().describe('Whom') }),
    run: async (_, input) => {
      const { name } = input as { name: string }
      if (name === 'nobody') throw errors.CONFLICT({ message: 'no', errors: [{ line: 3 }], data: ['a'] })
      return `Hello, ${name}`
    },
  }
  const greeter = definePlugin({
    name: 'greeter',
    phase: 'domain',
    requires: { management: ManagementCapability },
    setup: ({ management }) => management.add(greet),
  })

  it('adds commands, with an input of their own and refusals that tell single faults', async () => {
    const { socket } = await start({ plugins: [management, greeter] })
    expect(await askServer(socket, { cmd: 'greet', name: 'you' })).toEqual({ ok: true, data: 'Hello, you' })
    expect(await askServer(socket, { cmd: 'greet' })).toEqual({
      ok: false,
      error: "'greet.name' is missing (Whom)",
    })
    const refused = { ok: false, error: 'no', errors: [{ line: 3 }], data: ['a'] }
    expect(await askServer(socket, { cmd: 'greet', name: 'nobody' })).toEqual(refused)
  })

  it('cannot take the name of another command', async () => {
    const other = definePlugin({ ...greeter, name: 'other', setup: greeter.setup })
    await expect(start({ plugins: [management, greeter, other] })).rejects.toThrow(/'greet' is there already/)
  })

  it('asks a server that is not there and is told so', async () => {
    await expect(askServer(join(folder(), 'none.sock'), { cmd: 'status' })).rejects.toThrow(
      /no server listens/,
    )
  })
})

describe('the wire', () => {
  it.each([
    ['no JSON', 'status'],
    ['an empty line', ''],
    ['no object', '"status"'],
    ['an array', '[{"cmd":"status"}]'],
    ['no command', '{}'],
    ['a command that is no text', '{"cmd":["status"]}'],
    ['an unknown key', '{"cmd":"status","verbose":true}'],
    ['the name of a property of every object', '{"cmd":"constructor"}'],
    ['deep nesting', '['.repeat(60_000)],
  ])('answers %s with an error and stays open', async (_, line) => {
    const { socket, next } = await dial((await start()).socket)
    socket.write(`${line}\n`)
    expect(await next()).toEqual({ ok: false, error: expect.any(String) })
    socket.write('{"cmd":"status"}\n')
    expect(await next()).toMatchObject({ ok: true })
  })

  it('puts a line together from single bytes', async () => {
    const { socket, next } = await dial((await start()).socket)
    for (const byte of Buffer.from('{"cmd":"status"}\r\n')) await writePiece(socket, Buffer.of(byte))
    expect(await next()).toMatchObject({ ok: true })
  })

  it('puts a character together whose bytes arrive apart', async () => {
    const { socket, next } = await dial((await start()).socket)
    const line = Buffer.from('{"cmd":"statüs"}\n')
    const inside = line.indexOf(0xc3) + 1
    await writePiece(socket, line.subarray(0, inside))
    await writePiece(socket, line.subarray(inside))
    expect((await next()).error).toContain("Did you mean 'status'?")
  })

  it('refuses bytes that are no UTF-8', async () => {
    const { socket, next } = await dial((await start()).socket)
    socket.write(Buffer.from([...Buffer.from('{"cmd":"'), 0xff, ...Buffer.from('"}\n')]))
    expect((await next()).error).toContain('no JSON')
  })

  it('answers several lines of one packet in their order', async () => {
    const { socket, next } = await dial((await start()).socket)
    socket.write('{"cmd":"plugins"}\nnothing\n{"cmd":"actions"}\n')
    expect(await next()).toMatchObject({ ok: true, data: { plugins: expect.any(Array) } })
    expect(await next()).toMatchObject({ ok: false })
    expect(await next()).toMatchObject({ ok: true, data: { actions: expect.any(Array) } })
  })

  it('takes a line of 64 KiB', async () => {
    const { socket, next } = await dial((await start()).socket)
    socket.write(`${'{"cmd":"status"}'.padEnd(65_536)}\n`)
    expect(await next()).toMatchObject({ ok: true })
  })

  it.each([65_537, 400_000])('answers a line of %i bytes once, skips it and stays open', async (size) => {
    const { socket, next } = await dial((await start()).socket)
    socket.write(`${'{"cmd":"status"}'.padEnd(size)}\n{"cmd":"actions"}\n`)
    expect((await next()).error).toContain('65536')
    expect(await next()).toMatchObject({ ok: true, data: { count: 0 } })
  })

  it('answers a last line without a newline, and then ends', async () => {
    const { socket, next } = await dial((await start()).socket)
    socket.end('{"cmd":"status"}')
    expect(await next()).toMatchObject({ ok: true })
    expect(await next()).toBeUndefined()
  })

  it('answers everything to a caller who sends much before reading anything', async () => {
    const { socket, next } = await dial((await start()).socket)
    const count = 20_000
    socket.end('{"cmd":"status"}\n'.repeat(count))
    for (let i = 0; i < count; i++) expect(await next()).toMatchObject({ ok: true })
    expect(await next()).toBeUndefined()
  })

  it('serves 16 connections; the next gets one error line and is closed (ruling 1.5)', async () => {
    const { socket: path } = await start()
    const open = []
    for (let i = 0; i < 16; i++) open.push(await dial(path))
    const extra = await dial(path)
    expect(await extra.next()).toEqual({ ok: false, error: '16 connections are open: close one of them' })
    expect(await extra.next()).toBeUndefined()
    open[15]!.socket.write('{"cmd":"status"}\n')
    expect(await open[15]!.next()).toMatchObject({ ok: true })
  })
})

describe('the socket file', () => {
  it('belongs to its owner alone and goes with the server', async () => {
    const { socket, kernel } = await start()
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    const client = await dial(socket)
    await kernel.stop()
    expect(await client.next()).toBeUndefined()
    expect(existsSync(socket)).toBe(false)
  })

  it('is not made where no path is configured', async () => {
    const kernel = createKernel({ plugins: [management] })
    await kernel.start()
    expect(kernel.host.plugins()).toMatchObject([{ name: 'management', status: 'ready' }])
    await kernel.stop()
  })

  it('replaces one on which nobody listens', async () => {
    const path = join(folder(), 'stale.sock')
    await leaveStale(path)
    const { socket } = await start({ socket: path })
    expect(await ask(socket, '{"cmd":"status"}')).toMatchObject({ ok: true })
  })

  it('leaves a live one alone and ends the start', async () => {
    const { socket } = await start()
    await expect(start({ socket })).rejects.toThrow(/another process listens/)
    expect(await ask(socket, '{"cmd":"status"}')).toMatchObject({ ok: true })
  })

  it('never removes a file or a link', async () => {
    const path = join(folder(), 'file')
    writeFileSync(path, 'keep me')
    await expect(start({ socket: path })).rejects.toThrow(StartupError)
    const link = join(folder(), 'link')
    symlinkSync(path, link)
    await expect(start({ socket: link })).rejects.toThrow(/no socket/)
    expect(existsSync(path) && existsSync(link)).toBe(true)
  })

  it('needs a path of at most 107 bytes, counted in bytes', async () => {
    const base = folder()
    const room = 107 - Buffer.byteLength(base) - 1
    await start({ socket: join(base, 'a'.repeat(room)) })
    await expect(start({ socket: join(base, 'a'.repeat(room + 1)) })).rejects.toThrow(/107 bytes/)
    await expect(start({ socket: join(base, `${'a'.repeat(room - 1)}ü`) })).rejects.toThrow(/107 bytes/)
  })

  it('makes its folder for its owner alone where that is missing', async () => {
    const { socket } = await start({ socket: join(folder(), 'missing', 'm.sock') })
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700)
  })

  it('stands in the folder of the process unless said, and nowhere where that is false (ruling 1.2)', async () => {
    const dataFolder = folder()
    const begin = async (config: Config) => {
      const kernel = createKernel({ plugins: [management], config, dataFolder })
      await kernel.start()
      onTestFinished(() => kernel.stop())
    }
    await begin({ management: { socket: false } })
    expect(existsSync(join(dataFolder, 'svc.sock'))).toBe(false)
    await begin({})
    expect(await ask(join(dataFolder, 'svc.sock'), '{"cmd":"status"}')).toMatchObject({ ok: true })
  })

  it.each([
    ['is too long', (path: string) => join(path, 'a'.repeat(120))],
    ['is taken', (path: string) => (writeFileSync(join(path, 'svc.sock'), ''), path)],
  ])('that nobody chose ends no start where its path %s: a warning says so', async (_, placed) => {
    const warnings: object[] = []
    const warn = (fields: object, event: string) => void warnings.push({ ...fields, event })
    const log = { ...silentLogger, child: () => ({ ...silentLogger, warn }) }
    const kernel = createKernel({ plugins: [management], dataFolder: placed(folder()), log })
    await kernel.start()
    await kernel.stop()
    expect(warnings).toEqual([{ event: 'management.off', reason: expect.stringContaining('svc.sock') }])
  })

  it('is looked at before anything is set up, and nothing is changed by that', async () => {
    const base = folder()
    writeFileSync(join(base, 'taken'), '')
    const diary: string[] = []
    const other = definePlugin({ name: 'other', phase: 'store', setup: () => void diary.push('set up') })
    const start = (socket: string) =>
      createKernel({ plugins: [management, other], config: { management: { socket } } }).start()
    await expect(start(join(base, 'taken'))).rejects.toThrow(/no socket/)
    await expect(start(join(base, 'taken', 'm.sock'))).rejects.toThrow(StartupError)
    expect([diary, readdirSync(base)]).toEqual([[], ['taken']])
  })
})

/** Leaves a socket file whose server has gone without removing it. */
async function leaveStale(path: string): Promise<void> {
  const server = createServer().listen(`${path}.0`)
  await once(server, 'listening')
  renameSync(`${path}.0`, path)
  server.close()
  await once(server, 'close')
}
