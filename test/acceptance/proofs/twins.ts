import { createHash } from 'node:crypto'
import type { Config, Plugin } from '@svc/kernel'
import type { RequestOptions, TestAnswer } from '../../kit/request.ts'
import type { StoreUnderTest } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

/** One request, the same for both servers. */
export interface Question {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Side = 'left' | 'right'

/**
 * Two servers that went through the same, but for what a test gives to one of them alone. They make the same ids
 * and times, so that whatever differs in their answers is due to that.
 */
export interface Twins {
  /** One step in the life of both, at the same time. */
  each<T>(work: (server: TestKernel, side: Side) => Promise<T>): Promise<readonly [left: T, right: T]>
  ask(question: Question, token?: string): Promise<readonly [left: TestAnswer, right: TestAnswer]>
  stop(): Promise<void>
}

export interface TwinsOptions {
  /** What both are told, or each by itself: where its files lie. */
  readonly config?: Config | ((side: Side) => Config)
  /** Whether they make the same ids; so unless said. */
  readonly alike?: boolean
  readonly plugins?: readonly Plugin[]
}

/** How far apart two steps are, in milliseconds. */
const STEP_MS = 5

/** Starts the two servers of a test. */
export async function startTwins(
  store: StoreUnderTest,
  definition: string,
  { config = {}, alike = true, plugins = [] }: TwinsOptions = {},
): Promise<Twins> {
  const chance = { left: createChance(), right: createChance() }
  const start = (side: Side) =>
    startTestKernel({
      store,
      definition,
      config: typeof config === 'function' ? config(side) : config,
      plugins,
      ...(alike && { randomBytes: chance[side].bytes }),
    })
  const servers = { left: await start('left'), right: await start('right') }
  let step = 0
  const each: Twins['each'] = async (work) => {
    step += 1
    const one = async (side: Side) => {
      chance[side].begin(step)
      servers[side].clock.advance(STEP_MS)
      return work(servers[side], side)
    }
    return [await one('left'), await one('right')]
  }
  return {
    each,
    ask: ({ method, path, body, headers = {} }, token) => {
      const options: RequestOptions = {
        headers,
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      }
      return each((server) => server.request(method, path, options))
    },
    async stop() {
      await servers.left.stop()
      await servers.right.stop()
    },
  }
}

/** More than anybody draws for one token or key. */
const POOL_BYTES = 512

/**
 * Chance that is the same at the same step, however much of it the steps before needed. Who draws a whole pool uses
 * it up over many steps, so all of it is the same; ids differ by their time and counter then.
 */
function createChance() {
  let step = 0
  let drawn = 0
  return {
    begin(next: number) {
      step = next
      drawn = 0
    },
    bytes(size: number): Buffer {
      if (size > POOL_BYTES) return Buffer.alloc(size, 1)
      const parts = Array.from({ length: Math.ceil(size / 32) }, () =>
        createHash('sha256').update(`${step}/${drawn++}`).digest(),
      )
      return Buffer.concat(parts).subarray(0, size)
    },
  }
}

/** All that a caller sees of an answer, but for what names the single request. */
export const seen = ({ status, headers, body }: TestAnswer): object => ({
  status,
  headers: [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date'),
  body: JSON.stringify(body),
})
