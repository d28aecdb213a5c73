import { brand } from '@svc/kernel'

/** Bytes by key, in one place that several servers may share. Keys are paths of plain segments. */
export interface ByteStore {
  /**
   * Keeps what comes; durable once it resolves. Where `bytes` fails it rejects with that failure, and otherwise with a
   * StorageFault: nothing is there then under the key.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Reads `length` bytes from the place `from` on: at once where they are few, else as they are asked for. Rejects with a
   * StorageFault, where nothing is there too.
   */
  open(key: string, from: number, length: number): Promise<Uint8Array | ReadableStream<Uint8Array>>
  /** Takes away what is there; nothing happens where nothing is. */
  remove(key: string): Promise<void>
  /** All keys that begin with `prefix`, which ends in a slash or is empty, in no order. */
  list(prefix: string): AsyncIterable<Listed>
  /** How many bytes there are under a key; undefined where there are none. */
  stat(key: string): Promise<{ readonly size: number } | undefined>
}

export interface Listed {
  readonly key: string
  /** When the last of its bytes were written, in milliseconds since 1970. */
  readonly modifiedAt: number
}

/** The place where bytes are kept does not do what it is to do: it is full, or out of reach. */
export class StorageFault extends Error {
  static {
    brand(this, 'StorageFault')
  }

  override readonly name = 'StorageFault'
}
