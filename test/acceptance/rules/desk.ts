import { SYSTEM } from '@svc/kernel'
import type { TestKernel } from '../../kit/test-kernel.ts'

/** Requests of a test to one domain, and the log of its rules. */
export interface Desk {
  send(method: string, path: string, body?: unknown, token?: string): Promise<Answered>
  /** The entries of the log, the oldest first. */
  log(query?: string): Promise<readonly Entry[]>
  /** What the log has got since it was asked last, as `rule outcome`. */
  heard(): Promise<readonly string[]>
}

type Answered = Awaited<ReturnType<TestKernel['request']>>
export type Entry = Readonly<Record<string, unknown>> & { readonly rule: string; readonly outcome: string }

/** Sends requests below `/api/v1/<domain>`, as anybody unless said. */
export function deskOf(server: () => TestKernel, domain: string): Desk {
  const base = `/api/v1/${domain}`
  let latest: unknown
  const log: Desk['log'] = async (query = '') => {
    const { status, body } = await server().request('GET', `${base}/rules/log?limit=1000${query}`, {
      token: server().admin,
    })
    if (status !== 200) throw new Error(`the log was not answered: ${JSON.stringify(body)}`)
    return body.data.items.toReversed()
  }
  return {
    send: (method, path, body, token) =>
      server().request(method, `${base}${path}`, {
        ...(body !== undefined && { body }),
        ...(token !== undefined && { token }),
      }),
    log,
    async heard() {
      const all = await log()
      // An answer has the newest thousand: what was seen last may be any of them.
      const fresh = all.slice(all.findIndex(({ id }) => id === latest) + 1)
      latest = all.at(-1)?.['id']
      return fresh.map(({ rule, outcome }) => `${rule} ${outcome}`)
    },
  }
}

/** The permissions of resources that anybody may do anything with. */
export const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"

/** Calls an action of a domain past the pipeline, as the server itself does. */
export const asSystem = (server: TestKernel, action: string, input: object) =>
  server.kernel.callAs(SYSTEM)(action as `svc.${string}`, input)
