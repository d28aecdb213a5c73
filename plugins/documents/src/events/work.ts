import { Failure, isOutOfReach } from '@svc/automation/contract'
import { type JobFailure, type JobKind, type Jobs, LeaseLost, Postponed, type Work } from '@svc/jobs/contract'
import type { Writes } from '@svc/domain/contract'
import { AppError, errors, SYSTEM } from '@svc/kernel'
import { SchemaMoved } from '@svc/store/contract'
import { requestOf } from '../generate/request.ts'
import { makeFile } from '../generate/make.ts'
import { makeKept } from '../kept/make.ts'
import { keepDocument } from '../keep/keep.ts'
import type { Means } from '../means.ts'
import type { OpenDomain } from '../open-domain.ts'
import { noteFailure } from './failures.ts'
import { Generating } from '../promises/generating.ts'
import { findPromise, type Promised, removePromise } from '../promises/promises.ts'

/** What is out of reach is tried again for a day: the pauses in milliseconds. */
const DELAYS_MS: readonly number[] = [
  1000,
  5000,
  25_000,
  125_000,
  ...Array.from({ length: 144 }, () => 600_000),
]
/** How long work waits for a domain that is not in force on this server, in milliseconds. */
const NOT_IN_FORCE_MS = 1000

/** Declares the work of generating one document that was promised. */
export const declareGenerating = (jobs: Jobs, means: () => Means): JobKind<Generating> =>
  jobs.kind('documents.generate', {
    payload: Generating,
    delaysMs: DELAYS_MS,
    run: (job, work) => generate(job, work, means()),
    async failed(transaction, { domain, id }, { error, nextAt }: JobFailure) {
      const open = means().open.get(domain)
      if (nextAt !== null || open === undefined) return
      const { env, generating } = means()
      const promised = await findPromise(id, open.data.model, transaction)
      if (promised === undefined) return
      await noteFailure(transaction, domain, promised, error, new Date(env.now()).toISOString())
      await removePromise(id, transaction)
      await generating().cancel(transaction, id)
    },
  })

/** Generates what was promised: the document, that it is no promise any more, and that the work is done are one transaction. */
async function generate({ domain, id }: Generating, work: Work, means: Means): Promise<void> {
  const open = means.open.get(domain)
  if (open === undefined)
    throw new Postponed(`the domain '${domain}' is not in force on this server`, NOT_IN_FORCE_MS)
  const { data } = open
  const promised = await findPromise(id, data.model, data.reader)
  if (promised === undefined) return void (await work.commit(async () => undefined))
  try {
    await make(promised, open, work, means)
  } catch (error) {
    assertFailure(error, open, means)
    if (isOutOfReach(error)) throw error
    // What has no template shows its failures nowhere else.
    const isShown = open.templates.has(promised.template)
    if (!isShown || !(error instanceof AppError || error instanceof Failure))
      means.log.error({ domain, id, template: promised.template, err: error }, 'documents.generation_failed')
    await data.write({ caller: SYSTEM }, async (writes) => {
      await noteFailure(writes, domain, promised, error, new Date(means.env.now()).toISOString())
      await removePromise(id, writes)
      await work.complete(writes)
    })
  }
}

async function make(promised: Promised, open: OpenDomain, work: Work, means: Means): Promise<void> {
  const { data, templates, kept, storage } = open
  const finish = async (writes: Writes): Promise<void> => {
    if (!(await removePromise(promised.id, writes))) throw new LeaseLost(work.id)
    await work.complete(writes)
  }
  const file = kept.get(promised.template)
  if (file !== undefined) return makeKept(file, promised, open, means, finish)
  const template = templates.get(promised.template)
  if (template === undefined)
    throw errors.NOT_FOUND({ message: `There is no template '${promised.template}' any more` })
  const admitted = requestOf(template, promised, data, means)
  const keeping = {
    admitted,
    file: await makeFile(admitted.request, admitted.locale, means),
    storage,
    id: promised.id,
    trigger: promised.trigger,
    options: { depth: promised.depth + 1 },
  }
  await keepDocument(keeping, means, finish)
}

/** What is no failure goes on as it is; a definition that was exchanged meanwhile is met again. */
function assertFailure(error: unknown, { data }: OpenDomain, { open }: Means): void {
  if (error instanceof LeaseLost || error instanceof Postponed) throw error
  const isReplaced = open.get(data.model.name)?.data !== data
  if (error instanceof SchemaMoved || (isReplaced && isOutOfReach(error)))
    throw new Postponed(`the definition of '${data.model.name}' is being exchanged`, NOT_IN_FORCE_MS / 4)
}
