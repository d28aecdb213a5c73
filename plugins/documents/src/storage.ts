import { blockKey, type DomainBlock } from '@svc/domain/contract'
import { z } from 'zod'

/** Segments that no file system reads as anything else. */
const PATH = /^(?!\.)[A-Za-z0-9_.-]+(?:\/(?!\.)[A-Za-z0-9_.-]+)*$/

const StorageDefinition = z.strictObject({
  path: z
    .string()
    .max(200)
    .regex(PATH, {
      error:
        "must be segments of letters, digits, '-', '_' and '.' with slashes between, none of which begins with '.'",
    })
    .optional()
    .describe('Where the bytes of documents stand in the file store; documents/<domain> unless said.'),
  retention: z
    .strictObject({ days: z.int().min(1).max(36_500).describe('After so many days a document goes.') })
    .optional()
    .describe('How long documents are kept; for ever unless said.'),
})

/** Where the documents of a domain stand, and how long. */
export interface DocumentStorage {
  /** Without a slash at either end. */
  readonly path: string
  readonly days: number | undefined
  /** Whether the definition speaks of it. */
  readonly isDeclared: boolean
}
export const STORAGE = blockKey<DocumentStorage>('documentStorage')

/** The key `documentStorage` of a domain. */
export const storageBlock: DomainBlock<z.output<typeof StorageDefinition>, DocumentStorage> = {
  on: 'domain',
  key: STORAGE.key,
  schema: StorageDefinition.describe('Where the documents of the domain stand, and how long.'),
  compile: (written, { model }) => ({
    made: {
      path: written?.path ?? `documents/${model.name}`,
      days: written?.retention?.days,
      isDeclared: written !== undefined,
    },
  }),
}
