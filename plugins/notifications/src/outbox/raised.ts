import type { Value } from '@svc/store/contract'
import { z } from 'zod'

const Texts = z.union([z.string(), z.record(z.string(), z.string())])

/** A notification as it was written when it was raised. */
const KeptWritten = z.object({
  /** Their settings as their author wrote them, `${VAR}` for what a variable holds. */
  channels: z.array(z.object({ type: z.string(), settings: z.json() })),
  words: z.object({ subject: Texts.nullable(), body: Texts }),
  speech: z.unknown(),
})
export type KeptWritten = z.output<typeof KeptWritten>

/** Whom the recipients' fields named. */
const KeptNamed = z.object({
  roles: z.array(z.string()),
  values: z.array(
    z.object({
      value: z.string(),
      records: z.array(z.int()).nullable(),
      /** Of `veilOf`: what it is made of, where not everybody may be told it. */
      veil: z.custom<Value>().default(null),
    }),
  ),
})
export type KeptNamed = z.output<typeof KeptNamed>

/** What anybody may be told. */
const KeptSaid = z.object({ subject: z.string().nullable(), body: z.string() })

const KeptEnclosure = z.object({ kind: z.string(), id: z.string() }).nullish()

export const openEnclosure = (kept: unknown) => KeptEnclosure.parse(kept) ?? undefined
export const openWritten = (kept: unknown): KeptWritten => KeptWritten.parse(kept)
/** Nobody where nothing opens it any more. */
export const openNamed = (kept: unknown): KeptNamed =>
  kept === null ? { roles: [], values: [] } : KeptNamed.parse(kept)
/** Nothing where nobody can open it any more. */
export const openSaid = (kept: unknown): z.output<typeof KeptSaid> =>
  kept === null ? { subject: null, body: '' } : KeptSaid.parse(kept)
