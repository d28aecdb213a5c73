import { type Action, defineAction, Reply } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { endNamedSession } from '../end-named-session.ts'
import { ADMIN } from '../roles.ts'
import { timestamp } from '../rows.ts'
import { listSessions, sessionRecord } from '../session-record.ts'
import { endSessions } from '../sessions.ts'
import { type ListQuery, rangeOf, reportUnknown } from '../list-query.ts'
import { type Named, named, namedUser } from './named-user.ts'

/** What administrators do about the sessions of users. */
export const sessionActions = (auth: Auth): readonly Action[] => [list(auth), endAll(auth), endOne(auth)]

const listed = z.strictObject({ items: z.array(sessionRecord), count: z.int() })
const LIST_PARAMETERS = ['limit', 'offset']

function list({ prefix, store, env }: Auth): Action {
  return defineAction<ListQuery, z.output<typeof listed>>({
    name: 'admin.users.sessions.list',
    summary: 'Lists the sessions of a user, the latest first',
    access: [ADMIN],
    routes: [`GET ${prefix}/admin/users/:user/sessions`],
    bind: ({ query, params }) => ({ ...query, ...params }),
    output: listed,
    notes: { query: LIST_PARAMETERS },
    async handle(query, call) {
      reportUnknown(query, [...LIST_PARAMETERS, 'user'], call)
      const user = await namedUser(store, String(query['user']))
      const items = [...(await listSessions(store, user.id, env.now(), rangeOf(query)))]
      return { items, count: items.length }
    },
  })
}

function endAll({ prefix, store, env, identities, log }: Auth): Action {
  return defineAction<Named, never>({
    name: 'admin.users.sessions.end-all',
    summary: 'Ends every session of a user, from the next request on',
    access: [ADMIN],
    routes: [`DELETE ${prefix}/admin/users/:user/sessions`],
    input: named,
    async handle(given, { caller }) {
      const { id } = await namedUser(store, given.user)
      await identities.change(caller, id, (transaction) => endSessions(transaction, id, timestamp(env.now())))
      log.info({ userId: id, by: caller.id }, 'auth.sessions_ended')
      return Reply.empty()
    },
  })
}

const one = named.extend({ session: z.string().describe('The id') })

function endOne(auth: Auth): Action {
  const { prefix, store, log } = auth
  return defineAction<z.output<typeof one>, never>({
    name: 'admin.users.sessions.end',
    summary: 'Ends one session of a user, from the next request on',
    access: [ADMIN],
    routes: [`DELETE ${prefix}/admin/users/:user/sessions/:session`],
    input: one,
    async handle({ user, session }, { caller }) {
      const { id } = await namedUser(store, user)
      await endNamedSession(auth, caller, id, session)
      log.info({ userId: id, sessionId: session, by: caller.id }, 'auth.session_ended')
      return Reply.empty()
    },
  })
}
