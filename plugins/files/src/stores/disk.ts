import { randomUUID } from 'node:crypto'
import { constants, lstat as look, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type ByteStore, type Listed, StorageFault } from './byte-store.ts'
import { readSome, streamOf, writeAll } from './handle-stream.ts'
import { Lately } from './lately.ts'

/** Where bytes lie that are still coming. */
const ARRIVING = '.arriving'
/** Fewer are read at once. */
const FEW_BYTES = 64 * 1024
/** Neither what a link leads to, nor what waits for somebody to write into it. */
const FOR_READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Keeps bytes in a folder, which is made with the first of them. */
export function createDiskStore(root: string): ByteStore {
  const place = (key: string) => join(root, key)
  const lately = new Lately()
  /** Whole files alone: parts of them are asked for once. */
  const remember = async (path: string, handle: FileHandle, bytes: Uint8Array) => {
    const mark = await told(() => handle.stat())
    if (mark.size === bytes.length) lately.keep(path, mark, bytes)
  }

  return {
    async put(key, bytes) {
      const arriving = place(join(ARRIVING, randomUUID()))
      const file = place(key)
      await told(() => mkdir(dirname(arriving), { recursive: true }))
      const handle = await told(() => open(arriving, 'wx', 0o640))
      try {
        try {
          for await (const chunk of bytes) await told(() => writeAll(handle, chunk))
          await told(() => handle.sync())
        } finally {
          await handle.close()
        }
        await told(() => moved(arriving, file))
      } catch (error) {
        await rm(arriving, { force: true }).catch(() => undefined)
        throw error
      }
    },
    async open(key, from, length) {
      const path = place(key)
      const known = lately.has(path) ? lately.of(path, await told(() => lookedAt(path))) : undefined
      if (known?.length === length && from === 0) return known
      const handle = await told(() => open(path, FOR_READING))
      if (length > FEW_BYTES) return streamOf(handle, from, length)
      try {
        const bytes = await told(() => readSome(handle, from, length))
        if (bytes.length < length) throw new StorageFault(`'${key}' has less than ${from + length} bytes`)
        if (from === 0) await remember(path, handle, bytes)
        return bytes
      } finally {
        await handle.close()
      }
    },
    remove(key) {
      lately.forget(place(key))
      return told(() => rm(place(key), { force: true }))
    },
    list: (prefix) => listed(root, place(prefix)),
    async stat(key) {
      const found = await told(() => unlessMissing(stat(place(key))))
      return found?.isFile() === true ? { size: found.size } : undefined
    },
  }
}

/** What lies at a path; the promises of Node cost as much as the look. */
const lookedAt = (path: string): Promise<Stats> =>
  new Promise((resolve, reject) =>
    look(path, (error, found) => (error === null ? resolve(found) : reject(error))),
  )

/** Gives a file its name for good: the folders that know it are as durable as its bytes. */
async function moved(from: string, to: string): Promise<void> {
  const folder = dirname(to)
  const first = await mkdir(folder, { recursive: true })
  await rename(from, to)
  await synced(folder)
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await synced(dirname(made))
}

async function synced(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function* listed(root: string, folder: string): AsyncGenerator<Listed, void> {
  const entries = await told(() => unlessMissing(readdir(folder, { withFileTypes: true })))
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* listed(root, path)
    if (!entry.isFile()) continue
    const found = await told(() => unlessMissing(stat(path)))
    if (found) yield { key: relative(root, path), modifiedAt: found.mtimeMs }
  }
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

const codeOf = (error: unknown): unknown => Object(error)['code'] as unknown

/** What the system refuses, as a fault of the storage. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new StorageFault(`the folder of files fails: ${String(error)}`, { cause: error })
  }
}
