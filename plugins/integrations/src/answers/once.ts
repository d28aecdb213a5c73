import { codecOf, type Data, keptOnce, senderOf } from '@svc/domain/contract'
import { type Call, errors, Reply } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Parts } from '../parts.ts'
import { openJson, sealJson } from '../run/kept-work.ts'
import type { Setting } from '../run/means.ts'
import type { Ended } from '../run/run.ts'
import { giveBack, type Mark, take } from '../tables/seen.ts'

/**
 * How long nobody else does what one server does under a key, should that die, in milliseconds: what is done by hand is answered long
 * before.
 */
const HELD_MS = 120_000

/** What is done, as its `Idempotency-Key` is told from others. */
export interface Doing {
  readonly action: string
  /** What it is done to: an integration, and what of it. */
  readonly path: readonly [integration: string, ...string[]]
  readonly sent: unknown
}

/** Whoever asks again with the same key is told what came of it; what failed is done again. */
export const answeredOnce = async (
  doing: Doing,
  setting: Setting,
  { call, data, done }: { readonly call: Call; readonly data: Data; readonly done: () => Promise<Reply> },
): Promise<Reply> => {
  const { model, parts } = setting
  const { action, path, sent } = doing
  const reply = await keptOnce(
    { ...parts.answers, transaction: (caller, write) => data.write({ caller }, write) },
    {
      name: `svc.${model.name}.integrations.${action}`,
      path,
      sent,
      codec: codecOf(model),
      domain: model.name,
    },
    call,
    async (transact) => {
      const reply = await doneByOne(doing, setting, call, done)
      return transact(async () => reply)
    },
  )
  return opened(reply, parts)
}

/** The name of a response that is sealed: tables have it so. */
const SEALED = '~response'

/** The response as a part of an answer that may be kept. */
export const responseKept = (
  { response, isSecret }: Pick<Ended, 'response' | 'isSecret'>,
  { kept }: Parts,
): Row => (isSecret === true ? { response: null, [SEALED]: sealJson(response, kept) } : { response })

function opened(reply: Reply, { kept }: Parts): Reply {
  const { [SEALED]: sealed, ...data } = Object(reply.data) as Row
  if (sealed === undefined) return reply
  const { status, headers } = reply
  const told = { ...data, response: openJson(sealed, kept) ?? null }
  return new Reply({ status, data: told, ...(headers && { headers }) })
}

/**
 * What is sent is sent before its answer can be kept: of all servers the one that takes the key does it. Throws CONFLICT for the others.
 * That it was done is found by its answer from then on, so the key is given back by what has failed alone.
 */
async function doneByOne(
  { action, path }: Doing,
  { tables, parts }: Setting,
  call: Call,
  done: () => Promise<Reply>,
): Promise<Reply> {
  const key = call.request?.meta('idempotency-key')
  if (key === undefined) return done()
  const value = JSON.stringify([senderOf(call), action, path, key])
  const mark: Mark = { integration: path[0], kind: 'key', value, forMs: HELD_MS }
  const { store, env } = parts
  if (!(await store.transaction((transaction) => take(mark, env.now(), tables.seen, transaction))))
    throw errors.CONFLICT({
      message: "A request with this 'Idempotency-Key' is still running: try again",
    })
  try {
    return await done()
  } catch (error) {
    await store.transaction((transaction) => giveBack(mark, tables.seen, transaction))
    throw error
  }
}
