import { createUuidV7, type Environment, errors, type Logger } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import type { Arriving, Files, FindSignable, Kept, Reception } from './contract.ts'
import { fileFault } from './errors.ts'
import { Judge, Rejected } from './judge/judge.ts'
import { extensionOf } from './media-types/media-type.ts'
import type { Owners } from './owners.ts'
import { keyOf, monthOf } from './place.ts'
import { type ByteStore, StorageFault } from './stores/byte-store.ts'
import { FILE, type FileRow, fileOf, files, valuesOf } from './table.ts'

export interface FilesParts {
  readonly store: Store
  readonly bytes: ByteStore
  readonly env: Environment
  readonly log: Logger
  /** In bytes. */
  readonly maxFileSize: number
  readonly isAllowed: (mimeType: string) => boolean
  readonly owners: Owners
  readonly signables: FindSignable[]
}

const MEGABYTE = 1024 ** 2
/**
 * How long bytes may lie that no row is about, in milliseconds: whoever has not entered them by half of that does not do so
 * any more, and then they may be swept away.
 */
export const UNENTERED_MS = 30 * 60_000

/** Makes what keeps files: bytes first, then the row; and away the other way round. */
export function createFiles({
  store,
  bytes,
  env,
  log,
  maxFileSize,
  isAllowed,
  owners,
  signables,
}: FilesParts): Files {
  const newId = createUuidV7(env)

  /** What the storage could not do is logged; whoever asked learns that it is out of reach. */
  const unavailable = (fault: StorageFault) => {
    log.error({ err: fault }, 'files.storage_failed')
    return errors.UNAVAILABLE({ message: 'The storage of files is full or out of reach: try again' })
  }

  const removeBytes = async (key: string) => {
    try {
      await bytes.remove(key)
    } catch (error) {
      // The sweep takes what stays.
      log.warn({ err: error, key }, 'files.bytes_stay')
    }
  }

  const keptAs = (file: FileRow): Kept => {
    const began = performance.now()
    return {
      file,
      async enter(transaction) {
        if (performance.now() - began > UNENTERED_MS / 2) throw errors.UNAVAILABLE()
        await transaction.insert({ table: files, values: valuesOf(file) })
      },
      discard: () => removeBytes(keyOf(file)),
    }
  }

  const keep = async (arriving: Arriving, arrival: AsyncIterable<Uint8Array>): Promise<Kept> => {
    const { filename, mimeType, createdBy, signal } = arriving
    if (!isAllowed(mimeType))
      throw new Rejected(fileFault('accept', `is of a type that is not taken here: ${mimeType}`))
    const now = env.now()
    const place = { id: newId(), month: monthOf(now), extension: extensionOf(mimeType) }
    const judge = new Judge(mimeType, maxFileSize)
    await bytes.put(keyOf(place), judge.pass(arrival))
    const createdAt = new Date(now).toISOString()
    const kept = keptAs({ ...place, ...judge.verdict, filename, mimeType, createdAt, createdBy })
    if (signal?.aborted !== true) return kept
    await kept.discard()
    throw errors.UNAVAILABLE()
  }

  const reached = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof StorageFault ? unavailable(error) : error
    }
  }

  return {
    apart: {
      put: (key, content) => reached(() => bytes.put(key, once(content))),
      read: (key, from, length) => reached(() => bytes.open(key, from, length)),
      remove: removeBytes,
      list: (prefix) => bytes.list(prefix),
    },
    messageLimit: 2 * maxFileSize + MEGABYTE,
    async receive(arriving): Promise<Reception> {
      const arrival = readOn(arriving.bytes)
      try {
        return { kept: await keep(arriving, arrival) }
      } catch (error) {
        if (!(error instanceof Rejected || error instanceof StorageFault)) throw error
        // What is wrong with the message counts before what is wrong with the file.
        for await (const _ of arrival);
        return { rejected: error instanceof Rejected ? error.answer : unavailable(error) }
      }
    },
    owner: (of) => owners.add(of),
    signs: (find) => void signables.push(find),
    async find(id) {
      const where = { op: 'eq', column: FILE.id, value: id } as const
      const [row] = await store.select({ table: files, columns: files.columns, where, order: [], limit: 1 })
      return row && fileOf(row)
    },
    read: (file, from, length) => reached(() => bytes.open(keyOf(file), from, length)),
    async remove(file, transaction) {
      const where = { op: 'eq', column: FILE.id, value: file.id } as const
      const count = await transaction.remove({ table: files, where })
      transaction.afterCommit(() => void removeBytes(keyOf(file)))
      return count > 0
    },
  }
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

/** Bytes that can be read on where somebody has stopped reading them. */
function readOn(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]()
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) }
}
