import type { Action } from '@svc/kernel'
import { z } from 'zod'

/** What actions note for documents; whatever else they note is for other readers. */
const Notes = z.object({
  /** The domain that the action belongs to. */
  domain: z.string().optional(),
  /** The resource that the action serves, and what it does there. */
  record: z.object({ domain: z.string(), resource: z.string(), operation: z.string() }).optional(),
  /** The key of a domain that the action belongs to, and its name below that. */
  block: z.object({ key: z.string(), action: z.string() }).optional(),
  /** Answers without envelope. */
  direct: z.boolean().optional(),
  /** The status of an answer that went well, where it is not 200. */
  status: z.union([z.literal(200), z.literal(201), z.literal(202), z.literal(204)]).optional(),
  /** Names of query parameters that are read without an input schema, or beside a body. */
  query: z.array(z.string()).readonly().optional(),
  /**
   * False leaves the action out; `type` is the media type of a direct answer that is no JSON, and `bytes` says that it is
   * the bytes of a file, of which parts can be asked for.
   */
  openapi: z
    .union([z.literal(false), z.object({ type: z.string().optional(), bytes: z.boolean().optional() })])
    .optional(),
})
export type Notes = z.output<typeof Notes>
export type RecordNotes = NonNullable<Notes['record']>

const NONE: Notes = {}

/** What an action says of itself for documents. Throws where one of these notes is none: the others would be lost with it. */
export function notesOf({ name, notes }: Action): Notes {
  if (notes === undefined) return NONE
  const read = Notes.safeParse(notes)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Error(
    `the action '${name}' has a note that documents cannot read: '${issue?.path.join('.')}', ${issue?.message}`,
  )
}
