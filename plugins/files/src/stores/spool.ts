import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StorageFault } from './byte-store.ts'
import { writeAll } from './handle-stream.ts'

/** Bytes that were laid down to be counted: an open file without a name, which goes with the process. */
export interface Spool {
  readonly handle: FileHandle
  readonly size: number
}

/** Lays bytes down in a nameless file. Rejects with what `bytes` fails with, or a StorageFault. */
export async function spooled(bytes: AsyncIterable<Uint8Array>): Promise<Spool> {
  const handle = await opened()
  let size = 0
  try {
    for await (const chunk of bytes) {
      await writeAll(handle, chunk).catch(refused)
      size += chunk.length
    }
    return { handle, size }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function opened(): Promise<FileHandle> {
  const path = join(tmpdir(), `svc-file-${randomUUID()}`)
  try {
    const handle = await open(path, 'wx+', 0o600)
    await rm(path)
    return handle
  } catch (error) {
    return refused(error)
  }
}

function refused(error: unknown): never {
  throw new StorageFault(`the folder of temporary files fails: ${String(error)}`, { cause: error })
}
