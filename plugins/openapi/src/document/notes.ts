import type { Action, Logger } from '@svc/kernel'
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

/** Every document asks, and more than once. */
const known = new WeakMap<Action, Notes>()

/** What an action says of itself for documents; a note that is none is left out, and told to the log once. */
export function notesOf(action: Action, log: Pick<Logger, 'warn'>): Notes {
  if (action.notes === undefined) return NONE
  const notes = known.get(action) ?? read(action.name, action.notes, log)
  known.set(action, notes)
  return notes
}

function read(action: string, notes: NonNullable<Action['notes']>, log: Pick<Logger, 'warn'>): Notes {
  const whole = Notes.safeParse(notes)
  if (whole.success) return whole.data
  const { issues } = whole.error
  const faults = issues.map(({ path, message }) => `'${path.join('.')}': ${message}`)
  log.warn({ action, faults }, 'openapi.notes_unreadable')
  const odd = new Set(issues.map(({ path: [name] }) => name))
  return Notes.parse(Object.fromEntries(Object.entries(notes).filter(([name]) => !odd.has(name))))
}
