import { type AppError, type Call, type Caller, capability, type Reply } from '@svc/kernel'
import type { Reader, Transaction } from '@svc/store/contract'
import type { Kept } from './entering.ts'
import type { ByteStore, Listed } from './stores/byte-store.ts'
import type { FilePlace, FileRow } from './table.ts'

export { entering, type Kept } from './entering.ts'
export { attachment, fileNameOf } from './file-name.ts'
export { createAllowed, readAllowed } from './media-types/allowed.ts'
export { mediaTypeOf } from './media-types/media-type.ts'
export { pathOf } from './place.ts'
export { GUARDS } from './guards.ts'
export { sizeOf } from './size.ts'
export { type ByteStore, type Listed, StorageFault } from './stores/byte-store.ts'
export { type FilePlace, type FileRow, NAMES } from './table.ts'

/** A file that somebody wants to be kept. */
export interface Arriving {
  /** As `fileNameOf` has made it. */
  readonly filename: string
  /** As `mediaTypeOf` has made it. */
  readonly mimeType: string
  readonly bytes: AsyncIterable<Uint8Array>
  /** The id of whose it is; null where it is nobody's. */
  readonly createdBy: string | null
  /** Aborted where nobody waits for it any more. */
  readonly signal?: AbortSignal
}

/** What became of a file: it is kept, or it was read to its end and not taken, for which `rejected` is the answer. */
export type Reception = { readonly kept: Kept } | { readonly rejected: AppError }

/** Whose a file is besides its uploader's: it decides who may read it, and that it stays. */
export interface Ownership {
  /** What the file is to it, for messages: `an item of a library`. */
  readonly what: string
  /** Whether a caller may read the bytes, where files are not for everybody. */
  mayRead(caller: Caller): boolean
}

/** Says whose a file is; undefined where it knows nothing of it. */
export type OwnerOf = (file: FileRow, reader: Reader) => Promise<Ownership | undefined>

/** Bytes that can be read at a signed address, wherever they are kept. */
export interface Signable {
  /** Lets a caller read them, or throws UNAUTHORIZED or FORBIDDEN. */
  assertReadable(caller: Caller): Promise<void>
  /** Answers them, or a part of them, as the call asks. */
  serve(call: Call): Promise<Reply<never>>
}

/** Finds what lies at a path; undefined where the path is none of its own. Throws NOT_FOUND where nothing lies there. */
export type FindSignable = (path: string) => Promise<Signable | undefined>

/**
 * Bytes that others keep in the same place, by keys of their own: paths of plain segments. They are no files: nothing answers
 * them below the address of files, and whoever keeps them sweeps them.
 */
export interface BytesApart {
  /** Keeps bytes durably. Rejects with UNAVAILABLE where the place is full or out of reach: nothing is there then. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Reads some of them. Rejects with UNAVAILABLE where the place is out of reach, or nothing is there. */
  read(key: string, from: number, length: number): Promise<Uint8Array | ReadableStream<Uint8Array>>
  /** Takes them away; where that fails the log says so, and they stay. */
  remove(key: string): Promise<void>
  /** All keys that begin with `prefix`, which ends in a slash, in no order. */
  list(prefix: string): AsyncIterable<Listed>
}

/** The server's files. */
export interface Files {
  readonly apart: BytesApart
  /** The most bytes that a message may have which brings a file. */
  readonly messageLimit: number
  /**
   * Reads a file to its end, and keeps it durably where its size, its type and its bytes are in order. Rejects with what
   * its sender failed with.
   */
  receive(arriving: Arriving): Promise<Reception>
  /** Names somebody to whom files may belong; during set-up. */
  owner(of: OwnerOf): void
  /** Has addresses signed that somebody else answers, by their paths; during set-up. */
  signs(find: FindSignable): void
  find(id: string): Promise<FileRow | undefined>
  /** Reads bytes of a file. Rejects with UNAVAILABLE where the place where they are kept is out of reach. */
  read(file: FileRow, from: number, length: number): Promise<Uint8Array | ReadableStream<Uint8Array>>
  /** Takes a file away, with the commit of a transaction; answers whether it was there. */
  remove(file: FilePlace, transaction: Transaction): Promise<boolean>
}

export const FilesCapability = capability<Files>('files')

/** Where another plugin keeps the bytes of files, in place of a folder and of a bucket. */
export const ByteStoreCapability = capability<ByteStore>('byte-store')
