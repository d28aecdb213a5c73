import type { ActionName } from '@svc/kernel'
import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { HOUSE } from './house.ts'

const BASE = '/api/v1/house'
const OPERATIONS = [
  'get',
  'list',
  'create',
  'update',
  'delete',
  'transition',
  'custom',
  'export',
  'automate',
] as const
type Operation = (typeof OPERATIONS)[number]

/** Somebody's records, of which each door takes one of its own, and what is free beside them. */
interface Case {
  readonly server: TestKernel
  readonly tag: string
  readonly person: string
  readonly folder: string
  readonly notes: ReadonlyMap<string, string>
  /** Does something while nothing is restricted. */
  lifted<T>(work: () => Promise<T>): Promise<T>
  send(method: string, path: string, body?: unknown): Promise<any>
  note(door: string): string
  /** How many lines were written of a note. */
  lines(door: string): Promise<number>
}

interface Door {
  /** The operations that keep it from the person's records when they are restricted. */
  readonly kept: readonly Operation[]
  /** Sets something off, which is done before anybody looks. */
  begin?(one: Case): Promise<unknown>
  /** Goes through; answers whether the record was kept from it, or what went wrong. */
  isKept(one: Case): Promise<boolean | string>
}

/** One record is 403 RESTRICTED, and nothing but that or success. */
const refused =
  (method: string, path: (one: Case) => string, body?: (one: Case) => unknown) => async (one: Case) => {
    const answer = await one.send(method, path(one), body?.(one))
    if (answer.status === 403 && answer.body.error_code === 'RESTRICTED') return true
    return answer.status < 300 ? false : `${answer.status} ${answer.body.error_code}`
  }

/** An answer in which the text of the notes stands, or not. */
const absent =
  (path: (one: Case) => string) =>
  async (one: Case): Promise<boolean> => {
    const { status, body } = await one.send('GET', path(one))
    expect([path(one), status]).toEqual([path(one), 200])
    return !(typeof body === 'string' ? body : JSON.stringify(body.data)).includes(one.tag)
  }

const failsAlone = (method: string, body: (one: Case) => unknown) => async (one: Case) => {
  const { body: answer } = await one.send(method, 'notes/bulk', body(one))
  const { failed, errors } = answer.data
  if (failed === 0) return false
  expect(errors.map(({ error_code: code }: { error_code: string }) => code)).toEqual(['RESTRICTED'])
  return true
}

const counted = (dashboard: string) => async (one: Case) => {
  const count = async () => (await one.send('GET', `dashboards/${dashboard}`)).body.data.widgets.notes.value
  return (await count()) < (await one.lifted(count))
}

const UPDATES: readonly Operation[] = ['update']

/** Every way to a record. */
const DOORS: Readonly<Record<string, Door>> = {
  get: { kept: ['get'], isKept: refused('GET', (one) => `notes/${one.note('get')}`) },
  'a ledger of one': { kept: ['get'], isKept: refused('GET', (one) => `notes/${one.note('get')}/audit`) },
  list: { kept: ['list'], isKept: absent(({ person }) => `notes?filter[personId]=${person}`) },
  search: { kept: ['list'], isKept: absent(({ tag }) => `notes?filter[text]=${tag}&fields=text`) },
  count: {
    kept: ['list'],
    isKept: async (one) => {
      const { body } = await one.send('GET', `notes/count?filter[personId]=${one.person}`)
      return (body.data.total ?? body.data.count) === 0
    },
  },
  distinct: { kept: ['list'], isKept: absent(() => 'notes/distinct/text') },
  include: { kept: ['list'], isKept: absent(({ folder }) => `folders/${folder}?include=notes`) },
  'nested list': { kept: ['list'], isKept: absent(({ folder }) => `folders/${folder}/notes?limit=100`) },
  'linked list': { kept: ['list'], isKept: absent(({ folder }) => `folders/${folder}/pinned`) },
  export: { kept: ['list', 'export'], isKept: absent(() => 'notes/export') },
  view: { kept: ['list'], isKept: absent(() => 'views/notes') },
  'view as CSV': { kept: ['list', 'export'], isKept: absent(() => 'views/notes?format=csv') },
  report: {
    kept: ['list'],
    isKept: async ({ send, tag }) => {
      const { body } = await send('GET', `reports/notes?tag=${tag}`)
      const [{ metrics }, { items }] = body.data.sections
      return metrics[0].value === 0 && items.length === 0
    },
  },
  'report as CSV': {
    kept: ['list', 'export'],
    isKept: absent(({ tag }) => `reports/notes?tag=${tag}&format=csv&section=2`),
  },
  dashboard: { kept: ['list'], isKept: counted('now') },
  'kept dashboard': { kept: ['list'], isKept: counted('kept') },
  create: {
    kept: ['create'],
    isKept: refused(
      'POST',
      () => 'notes',
      ({ person }) => ({ personId: person, text: 'new' }),
    ),
  },
  'bulk create': {
    kept: ['create'],
    isKept: failsAlone('POST', ({ person }) => ({ items: [{ personId: person }, { text: 'free' }] })),
  },
  import: {
    kept: ['create'],
    isKept: async ({ send, person }) => {
      const { body } = await send('POST', 'notes/import', { items: [{ personId: person }] })
      return body.data.created === 0
    },
  },
  update: {
    kept: UPDATES,
    isKept: refused(
      'PATCH',
      (one) => `notes/${one.note('update')}`,
      () => ({ role: 'x' }),
    ),
  },
  put: {
    kept: UPDATES,
    isKept: refused(
      'PUT',
      (one) => `notes/${one.note('put')}`,
      ({ person }) => ({ text: 'put', personId: person }),
    ),
  },
  'bulk update': {
    kept: UPDATES,
    isKept: failsAlone('PATCH', (one) => ({ ids: [one.note('bulk')], data: { role: 'y' } })),
  },
  upsert: {
    kept: UPDATES,
    isKept: failsAlone('POST', (one) => ({ upsert: true, items: [{ id: one.note('upsert'), role: 'z' }] })),
  },
  revert: {
    kept: UPDATES,
    isKept: refused(
      'POST',
      (one) => `notes/${one.note('reverted')}/revert`,
      () => ({ version: 1 }),
    ),
  },
  restore: { kept: UPDATES, isKept: refused('POST', (one) => `notes/${one.note('gone')}/restore`) },
  link: {
    kept: ['get', 'update'],
    isKept: refused(
      'POST',
      ({ folder }) => `folders/${folder}/pinned`,
      (one) => ({ noteId: one.note('linked') }),
    ),
  },
  unlink: {
    kept: ['get', 'update'],
    isKept: refused('DELETE', (one) => `folders/${one.folder}/pinned/${one.note('unlinked')}`),
  },
  delete: { kept: ['delete'], isKept: refused('DELETE', (one) => `notes/${one.note('deleted')}`) },
  'bulk delete': {
    kept: ['delete'],
    isKept: failsAlone('DELETE', (one) => ({ ids: [one.note('bulkDeleted')] })),
  },
  transition: {
    kept: ['transition'],
    isKept: refused('POST', (one) => `notes/${one.note('moved')}/transitions/close`),
  },
  custom: { kept: ['custom'], isKept: refused('POST', (one) => `notes/${one.note('stamped')}/stamp`) },
  'script, as the system': {
    kept: UPDATES,
    isKept: async (one) => {
      const id = one.note('script')
      const input = { id, path: { id }, data: { role: 'script' } }
      const call = one.server.kernel.callAs(SYSTEM)('svc.house.note.update' as ActionName, input)
      return call.then(
        () => false,
        (error: { code: string }) => {
          expect(error.code).toBe('RESTRICTED')
          return true
        },
      )
    },
  },
  'workflow by a write': {
    kept: ['update', 'automate'],
    begin: (one) => one.send('PATCH', `notes/${one.note('heard')}`, { role: 'heard' }),
    isKept: async (one) => (await one.lines('heard')) === 0,
  },
  'workflow by hand': {
    kept: ['automate'],
    isKept: refused(
      'POST',
      () => 'workflows/begun/instances',
      (one) => ({ recordId: one.note('begun') }),
    ),
  },
  'records of a forEach': {
    kept: ['automate'],
    isKept: async (one) => (await one.lines('each')) === 0,
  },
  schedule: {
    kept: ['automate'],
    begin: (one) => one.send('POST', 'schedules/timed/run', { recordId: one.note('timed') }),
    isKept: async (one) => {
      const { body } = await one.send('GET', `schedules/firings?schedule=timed&recordId=${one.note('timed')}`)
      const [{ status, error }] = body.data.items
      if (status === 'skipped') expect(error.code).toBe('RESTRICTED')
      return status === 'skipped' && (await one.lines('timed')) === 0
    },
  },
  'schedule in batches': {
    kept: ['automate'],
    begin: (one) => one.send('POST', 'schedules/batch/run', { recordId: one.note('batched') }),
    isKept: async (one) => (await one.lines('batched')) === 0,
  },
  notification: {
    kept: ['update', 'automate'],
    begin: (one) => one.send('PATCH', `notes/${one.note('told')}`, { role: 'told' }),
    isKept: async (one) => {
      const { body } = await one.send('GET', `notifications?recordId=${one.note('told')}`)
      return body.data.items.length === 0
    },
  },
  'template by hand': {
    kept: ['get', 'automate'],
    isKept: refused(
      'POST',
      () => 'templates/card/preview',
      (one) => ({ recordId: one.note('card') }),
    ),
  },
  'template by a write': {
    // The document of a record that is in no list is listed nowhere either.
    kept: ['list', 'transition', 'automate'],
    begin: (one) => one.send('POST', `notes/${one.note('made')}/transitions/close`),
    isKept: async (one) => {
      const { body } = await one.send('GET', `documents?recordId=${one.note('made')}`)
      return body.data.items.length === 0
    },
  },
  'rows of a template': {
    kept: ['list', 'export', 'automate'],
    isKept: async ({ send, tag }) => {
      const { body } = await send('POST', 'templates/all/preview', { tag })
      return !String(body).includes(tag)
    },
  },
}

const ROLES = [
  'get',
  'update',
  'put',
  'bulk',
  'upsert',
  'reverted',
  'gone',
  'linked',
  'unlinked',
  'deleted',
  'bulkDeleted',
  'moved',
  'stamped',
  'script',
  'heard',
  'begun',
  'each',
  'timed',
  'batched',
  'told',
  'card',
  'made',
] as const

for (const store of STORES) {
  describe(`what a restriction keeps from whom on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: HOUSE, config: { jobs: { enabled: false } } })
    const send: Case['send'] = (method, path, body) =>
      server().request(method, `${BASE}/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})

    /** Somebody with a note for each door, of whose records an operation is restricted. */
    async function somebody(operation: Operation | undefined): Promise<Case> {
      const name = operation ?? 'nobody'
      const person = (await send('POST', 'people', { email: `${name}@example.org` })).body.data.id
      const folder = (await send('POST', 'folders', { title: name })).body.data.id
      const tag = `text-of-${name}`
      const items = ROLES.map((role) => ({
        personId: person,
        folderId: folder,
        text: tag,
        role: ['each', 'timed', 'batched'].includes(role) ? role : 'none',
      }))
      const { body } = await send('POST', 'notes/bulk', { items })
      const notes = new Map(ROLES.map((role, at) => [role as string, body.data.items[at].id as string]))
      await send('PATCH', `notes/${notes.get('reverted')}`, { role: 'later' })
      await send('DELETE', `notes/${notes.get('gone')}`)
      await send('POST', `folders/${folder}/pinned`, { noteId: notes.get('unlinked') })
      const path = `privacy/subject/${name}%40example.org`
      const restrict = async () => {
        if (operation === undefined) return
        const asked = { reason: 'x', restrictedOperations: [operation] }
        const answer = await send('POST', `${path}/restrict`, asked)
        expect(answer.body.data.records).toBeGreaterThanOrEqual(ROLES.length + 1)
      }
      await restrict()
      return {
        server: server(),
        tag,
        person,
        folder,
        notes,
        send,
        note: (door) => notes.get(door)!,
        lines: async (role) =>
          (await send('GET', `lines?filter[of]=${notes.get(role)}`)).body.data.totalCount,
        async lifted(work) {
          if (operation !== undefined) await send('POST', `${path}/unrestrict`, { reason: 'x' })
          const done = await work()
          await restrict()
          return done
        },
      }
    }

    /** What each door does, in their order: reading before writing. */
    async function table(one: Case): Promise<Readonly<Record<string, boolean | string>>> {
      const found: Record<string, boolean | string> = {}
      for (const [name, door] of Object.entries(DOORS)) found[name] = await door.isKept(one)
      return found
    }

    const cases = new Map<Operation | undefined, Case>()

    beforeAll(async () => {
      for (const operation of [undefined, ...OPERATIONS]) cases.set(operation, await somebody(operation))
      for (const { begin } of Object.values(DOORS)) for (const one of cases.values()) await begin?.(one)
      await send('POST', 'workflows/each/instances', {})
      for (let turn = 0; turn < 3; turn += 1) await tick()
    })

    it('P20: every door is open to the records of who is not restricted', async () => {
      const open = Object.keys(DOORS).map((name) => [name, false])
      expect(await table(cases.get(undefined)!)).toEqual(Object.fromEntries(open))
    })

    it.each(OPERATIONS)(
      'P20: %s restricted is kept from its doors, and from no others',
      async (operation) => {
        const expected = Object.entries(DOORS).map(([name, { kept }]) => [name, kept.includes(operation)])
        expect(await table(cases.get(operation)!)).toEqual(Object.fromEntries(expected))
      },
    )
  })
}
