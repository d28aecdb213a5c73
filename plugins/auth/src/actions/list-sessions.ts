import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { type ListQuery, rangeOf, reportUnknown } from '../list-query.ts'
import type { Auth } from '../auth.ts'
import { listSessions, sessionRecord } from '../session-record.ts'
import { signedIn } from '../signed-in.ts'

const own = sessionRecord.extend({ current: z.boolean().describe('Whether this request belongs to it') })
const listed = z.strictObject({ items: z.array(own), count: z.int() })
const LIST_PARAMETERS = ['limit', 'offset']

/** Shows callers where they are signed in. */
export function listOwnSessions({ prefix, store, env }: Auth): Action {
  return defineAction<ListQuery, z.output<typeof listed>>({
    name: 'auth.sessions.list',
    summary: 'Shows callers where they are signed in, the latest first',
    access: ['authenticated'],
    routes: [`GET ${prefix}/auth/sessions`],
    bind: (request) => request.query,
    output: listed,
    notes: { query: LIST_PARAMETERS },
    async handle(query, call) {
      reportUnknown(query, LIST_PARAMETERS, call)
      const { userId, sessionId } = signedIn(call)
      const found = await listSessions(store, userId, env.now(), rangeOf(query))
      const items = found.map((session) => ({ ...session, current: session.id === sessionId }))
      return { items, count: items.length }
    },
  })
}
