import { createRandom, type Random } from '../../kit/random.ts'
import type { TestAnswer } from '../../kit/request.ts'
import type { StoreUnderTest } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import type { LawRequest } from './memory.ts'
import { WORKS } from './works.ts'

/** A server of the definition, with an account for every kind of caller. */
export interface LawServer extends TestKernel {
  /** The token of each caller. */
  readonly tokens: Record<string, string>
  /** Sends a request as its caller; one who is not in `tokens` is a token. */
  send(request: LawRequest): Promise<TestAnswer>
}

const ROLES = { ann: [], bob: ['agent'], eve: ['boss'], both: ['agent', 'boss'] } as const

/** Who calls, besides strangers. */
export type Caller = keyof typeof ROLES | 'admin'

/** Longer than any run takes on its own clock. */
const WEEK_SECONDS = 604_800

/** Starts a server whose every id comes from the seed alone. */
export async function startLawServer(store: StoreUnderTest, seed: number): Promise<LawServer> {
  const kernel = await startTestKernel({
    store,
    definition: WORKS,
    randomBytes: steadyBytes(seed),
    config: {
      // What looks for work draws its pauses at moments of its own.
      jobs: { enabled: false },
      auth: {
        jwt: { secret: 'a secret of laws that is long enough', access_token_ttl_seconds: WEEK_SECONDS },
      },
    },
  })
  const tokens: Record<string, string> = { admin: kernel.admin }
  for (const [name, roles] of Object.entries(ROLES)) tokens[name] = (await kernel.account(name, roles)).token
  return {
    ...kernel,
    tokens,
    send: ({ method, path, query, caller, headers, body }) =>
      kernel.request(method, query === '' ? path : `${path}?${query}`, {
        headers,
        ...(caller !== undefined && { token: tokens[caller] ?? caller }),
        ...(body !== undefined && { body }),
      }),
  }
}

/** So many bytes at once are a pool that ids are drawn from; ids of one source differ by time and counter already. */
const POOL_BYTES = 1024

/**
 * Bytes that do not depend on which of several plugins asks first, which is a matter of timing: every size has a
 * sequence of its own, and pools are all the same.
 */
function steadyBytes(seed: number): (size: number) => Uint8Array {
  const bySize = new Map<number, Random>()
  return (size) => {
    const known = size < POOL_BYTES ? bySize.get(size) : undefined
    const random = known ?? createRandom(seed + size)
    bySize.set(size, random)
    return random.bytes(size)
  }
}

/** A whole number from the environment, to widen a law or to see a failure again. */
export const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)
