import { type Action, defineAction, Reply } from '@svc/kernel'
import { z } from 'zod'
import { doubtsOf } from './doubts.ts'
import { openSecrets, placeOf } from './endpoint.ts'
import { getEndpoint, insertEndpoint, readEndpoints, removeEndpoint, updateEndpoint } from './endpoints.ts'
import { accountNamed, assertUrl, ChangedEndpoint, NewEndpoint } from './input.ts'
import {
  assertKept,
  assertRoom,
  moment,
  newSecret,
  sealHeaders,
  type Service,
  shownEndpoints,
} from './service.ts'

const ROOT = '/api/v1/admin/webhooks'
const headers = { 'Cache-Control': 'no-store' }
const HOUR_MS = 3_600_000
const One = z.strictObject({ id: z.string() })

/** Endpoints, for administrators. */
export function endpointActions(service: Service): readonly Action[] {
  const { store, env, kept, known, newId, accounts, outbound, jobs } = service
  const shown = async (id: string) => (await shownEndpoints([await getEndpoint(store, id)], service))[0]!
  return [
    defineAction({
      name: 'admin.webhooks.list',
      summary: 'List the endpoints that events are delivered to',
      access: ['admin'],
      routes: [`GET ${ROOT}`],
      headers,
      async handle() {
        const items = await shownEndpoints(await readEndpoints(store), service)
        return { items, count: items.length }
      },
    }),
    defineAction({
      name: 'admin.webhooks.create',
      summary: 'Deliver events to an endpoint; the answer alone tells its secret',
      access: ['admin'],
      routes: [`POST ${ROOT}`],
      headers,
      input: NewEndpoint,
      notes: { status: 201 },
      async handle({ url, description, events, as, headers: own, enabled }, { caller, warn }) {
        assertKept(service)
        assertUrl(url, outbound, Object.keys(own).length > 0)
        const account = await accountNamed(as, caller, accounts)
        for (const doubt of doubtsOf(events, account, service)) warn(doubt)
        const id = newId()
        const secret = newSecret(env)
        await store.transaction(async (transaction) => {
          await assertRoom(transaction, service)
          await insertEndpoint(transaction, {
            id,
            url,
            description,
            events,
            as_id: account.id,
            as_name: account.username,
            headers: sealHeaders(id, own, kept),
            enabled,
            secret: kept.seal(secret, placeOf(id, 'secret')),
            old_secret: null,
            old_until: null,
            created_at: moment(service),
            hears_since: moment(service),
            last_success_at: null,
            failing_since: null,
          })
        })
        await known.look()
        return Reply.created({ ...(await shown(id)), secret })
      },
    }),
    defineAction({
      name: 'admin.webhooks.get',
      summary: 'Look at an endpoint',
      access: ['admin'],
      routes: [`GET ${ROOT}/:id`],
      headers,
      input: One,
      handle: ({ id }) => shown(id),
    }),
    defineAction({
      name: 'admin.webhooks.update',
      summary: 'Change an endpoint, or switch it on again',
      access: ['admin'],
      routes: [`PATCH ${ROOT}/:id`],
      headers,
      input: ChangedEndpoint,
      async handle({ id, url, description, events, as, headers: own, enabled }, { caller, warn }) {
        const former = await getEndpoint(store, id)
        const names = Object.keys(own ?? former.headers)
        assertUrl(url ?? former.url, outbound, names.length > 0)
        const account = as === undefined ? undefined : await accountNamed(as, caller, accounts)
        if (events !== undefined || account !== undefined) {
          const reader = account ?? (await accounts.find(former.asId))
          for (const doubt of reader ? doubtsOf(events ?? former.events, reader, service) : []) warn(doubt)
        }
        const set = {
          ...(url !== undefined && { url }),
          ...(description !== undefined && { description }),
          ...(events !== undefined && { events }),
          ...(account && { as_id: account.id, as_name: account.username }),
          ...(own !== undefined && { headers: sealHeaders(id, own, kept, former.headers) }),
          ...(enabled !== undefined && { enabled }),
          ...(enabled === true && !former.enabled && { failing_since: null, hears_since: moment(service) }),
        }
        if (Object.keys(set).length > 0)
          await store.transaction((transaction) => updateEndpoint(transaction, id, set))
        await known.look()
        return shown(id)
      },
    }),
    defineAction({
      name: 'admin.webhooks.delete',
      summary: 'Forget an endpoint with all that was to be delivered to it',
      access: ['admin'],
      routes: [`DELETE ${ROOT}/:id`],
      input: One,
      async handle({ id }) {
        await getEndpoint(store, id)
        await store.transaction(async (transaction) => {
          await jobs.cancel(transaction, id)
          await removeEndpoint(transaction, id)
        })
        await known.look()
        return Reply.empty()
      },
    }),
    defineAction({
      name: 'admin.webhooks.rotate-secret',
      summary:
        'Give an endpoint a new secret, which the answer alone tells; the former one signs beside it for a time',
      access: ['admin'],
      routes: [`POST ${ROOT}/:id/rotate-secret`],
      headers,
      input: z.strictObject({ id: z.string(), overlapHours: z.number().min(0).max(720).default(24) }),
      async handle({ id, overlapHours }) {
        const secret = newSecret(env)
        await store.transaction(async (transaction) => {
          // Of two rotations at once the later one takes over what the earlier one has handed out.
          const former = await getEndpoint(transaction, id, true)
          // A secret that no key opens any more is no use beside the new one.
          const isGood = openSecrets({ ...former, headers: {} }, kept, moment(service)) !== undefined
          await updateEndpoint(transaction, id, {
            secret: kept.seal(secret, placeOf(id, 'secret')),
            old_secret: isGood ? former.secret : null,
            old_until: isGood ? moment(service, overlapHours * HOUR_MS) : null,
          })
        })
        return { ...(await shown(id)), secret }
      },
    }),
  ]
}
