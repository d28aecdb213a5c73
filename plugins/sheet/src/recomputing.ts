import type { Data, Due, LeftBy, Resource } from '@svc/domain/contract'
import { type JobKind, type Jobs, Postponed, type Work } from '@svc/jobs/contract'
import { SYSTEM } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { z } from 'zod'

const Key = z.union([z.string(), z.number(), z.boolean()])

const Recomputing = z.strictObject({
  domain: z.string(),
  resource: z.string(),
  fields: z.array(z.string()),
  keys: z.array(Key),
  caller: z.strictObject({
    kind: z.enum(['anonymous', 'user', 'system']),
    id: z.string().nullable(),
    username: z.string().nullable(),
    email: z.string().nullable(),
    roles: z.array(z.string()),
  }),
  requestId: z.string(),
  depth: z.int(),
  origin: z.string().optional(),
})
export type Recomputing = z.output<typeof Recomputing>

/** So many records one piece of work is about, in one transaction. */
const AT_ONCE = 500
/** The pauses before further tries: for an hour, and then somebody has to look. */
const DELAYS_MS: readonly number[] = [
  1000,
  5000,
  25_000,
  125_000,
  ...Array.from({ length: 20 }, () => 180_000),
]
/** How long work waits for a domain that is not in force on this server, in milliseconds. */
const NOT_IN_FORCE_MS = 1000

/** Formulas of records that are worked out behind the write that they follow. */
export interface Recompute {
  /** Keeps what a write has left, in its transaction. */
  put(due: Due, by: LeftBy, transaction: Transaction): Promise<void>
  /** Says by which data the records of a resource are written while its model is in force; what it answers ends that. */
  open(resource: Resource, data: Data): () => void
}

/** Declares the work; pieces of one domain are done one after the other, in the order of the writes that left them. */
export function createRecompute(jobs: Jobs): Recompute {
  const open = new Map<string, Data>()
  const idOf = (domain: string, resource: string) => JSON.stringify([domain, resource])
  const kind: JobKind<z.input<typeof Recomputing>> = jobs.kind('sheet.recompute', {
    payload: Recomputing,
    delaysMs: DELAYS_MS,
    order: ({ domain }) => domain,
    run: (job, work) => recompute(job, work, open.get(idOf(job.domain, job.resource))),
  })
  return {
    async put({ resource, fields, keys }, { domain, caller, requestId, depth, origin }, transaction) {
      const { claims: _, roles, ...who } = caller
      for (let at = 0; at < keys.length; at += AT_ONCE)
        await kind.put(transaction, {
          domain,
          resource: resource.name,
          fields: [...fields],
          keys: z.array(Key).parse(keys.slice(at, at + AT_ONCE)),
          caller: { ...who, roles: [...roles] },
          requestId,
          depth,
          ...(origin !== undefined && { origin }),
        })
    },
    open(resource, data) {
      const id = idOf(data.model.name, resource.name)
      open.set(id, data)
      return () => {
        if (open.get(id) === data) open.delete(id)
      }
    },
  }
}

async function recompute(job: Recomputing, work: Work, data: Data | undefined): Promise<void> {
  const { domain, resource: name, fields, keys, caller, requestId, depth, origin } = job
  if (data === undefined)
    throw new Postponed(
      `the resource '${name}' of '${domain}' is not in force on this server`,
      NOT_IN_FORCE_MS,
    )
  const resource = data.model.resources.get(name)
  await data.write(
    { caller: SYSTEM },
    async (writes) => {
      if (resource)
        await writes.follow(
          { resource, fields, keys },
          { domain, caller: { ...caller, claims: {} }, requestId, depth, origin },
        )
      await work.complete(writes)
    },
    { many: true },
  )
}
