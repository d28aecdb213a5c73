import type { ActionName } from '@svc/kernel'
import { SYSTEM } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pagesOf } from '../../kit/pdf.ts'
import { type Sink, startSink } from '../../kit/sink.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, useTestKernel } from '../../kit/test-kernel.ts'
import { type Case, type Door, type Operation, OPERATIONS, refused } from './door.ts'
import { BY_ITSELF } from './doors-by-themselves.ts'
import { house, POST } from './house.ts'

const BASE = '/api/v1/house'
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

const counted =
  (dashboard: string, read = (widgets: any): number => widgets.notes.value) =>
  async (one: Case) => {
    const count = async () => read((await one.send('GET', `dashboards/${dashboard}`)).body.data.widgets)
    return (await count()) < (await one.lifted(count))
  }

/** A part of a dashboard in which the text of the notes stands, or not. */
const absentIn = (part: string) => async (one: Case) => {
  const { widgets } = (await one.send('GET', 'dashboards/now')).body.data
  return !JSON.stringify(widgets[part]).includes(one.tag)
}

/** What a script as the system hears who calls an action. */
const calling = (action: string, input: (one: Case) => object) => (one: Case) =>
  one.server.kernel
    .callAs(SYSTEM)(action as ActionName, input(one))
    .then(
      (told) => told,
      (error: { code: string }) => {
        expect(error.code).toBe('RESTRICTED')
        return 'RESTRICTED'
      },
    )

/** A script that does something to a note of its own: it does it, or hears RESTRICTED. */
const scripted =
  (action: string, input: (one: Case) => object) =>
  async (one: Case): Promise<boolean> =>
    (await calling(`svc.house.note.${action}`, input)(one)) === 'RESTRICTED'

const ofNote =
  (role: string, more: object = {}) =>
  (one: Case): object => ({ id: one.note(role), path: { id: one.note(role) }, ...more })

/** Whether a note was told elsewhere. */
const untold = (path: string, role: string) => async (one: Case) =>
  !one.sink.received.some((got) => got.path === path && got.body.includes(one.note(role)))

const UPDATES: readonly Operation[] = ['update']

/** Every way to a record. */
const DOORS: Readonly<Record<string, Door>> = {
  get: { kept: ['get'], isKept: refused('GET', (one) => `notes/${one.note('get')}`) },
  'a ledger of one': { kept: ['get'], isKept: refused('GET', (one) => `notes/${one.note('get')}/audit`) },
  'list of versions': { kept: ['get'], isKept: refused('GET', (one) => `notes/${one.note('get')}/versions`) },
  'timeline of one': { kept: ['get'], isKept: refused('GET', (one) => `notes/${one.note('get')}/history`) },
  'script that gets, as the system': {
    kept: ['get'],
    async isKept(one) {
      const id = one.note('get')
      return (await calling('svc.house.note.get', () => ({ id, path: { id } }))(one)) === 'RESTRICTED'
    },
  },
  'script that lists, as the system': {
    kept: ['list'],
    async isKept(one) {
      const input = () => ({ query: { 'filter[personId]': one.person } })
      return !JSON.stringify(await calling('svc.house.note.list', input)(one)).includes(one.tag)
    },
  },
  timeline: { kept: ['list'], isKept: absent(() => 'notes/history?limit=1000') },
  'events of one': {
    kept: ['list'],
    async isKept(one) {
      const path = `/api/v1/domains/house/events?resource=Note&id=${one.note('get')}`
      const { status, body } = await one.server.request('GET', path, { token: one.server.admin })
      expect(status).toBe(200)
      return body.data.items.length === 0
    },
  },
  'account of the person': {
    kept: [],
    isKept: absent(({ name }) => `privacy/subject/${name}%40example.org`),
  },
  list: { kept: ['list'], isKept: absent(({ person }) => `notes?filter[personId]=${person}`) },
  filter: { kept: ['list'], isKept: absent(({ tag }) => `notes?filter[text]=${tag}&fields=text`) },
  search: { kept: ['list'], isKept: absent(({ tag }) => `notes?search=${tag}`) },
  count: {
    kept: ['list'],
    isKept: async (one) => {
      const { body } = await one.send('GET', `notes/count?filter[personId]=${one.person}`)
      return (body.data.total ?? body.data.count) === 0
    },
  },
  distinct: { kept: ['list'], isKept: absent(() => 'notes/distinct/text') },
  include: { kept: ['list'], isKept: absent(({ folder }) => `folders/${folder}?include=notes`) },
  'include of one': {
    kept: ['get', 'list'],
    isKept: absent(({ folder }) => `slips?filter[title]=${folder}&include=note`),
  },
  'nested list': { kept: ['list'], isKept: absent(({ folder }) => `folders/${folder}/notes?limit=100`) },
  'linked list': { kept: ['list'], isKept: absent(({ folder }) => `folders/${folder}/pinned`) },
  export: { kept: ['list', 'export'], isKept: absent(() => 'notes/export') },
  'export of what is made of it': {
    kept: ['get', 'list', 'export'],
    isKept: absent(() => 'slips/export'),
  },
  view: { kept: ['list'], isKept: absent(() => 'views/notes') },
  'view as CSV': { kept: ['list', 'export'], isKept: absent(() => 'views/notes?format=csv') },
  'view through a relationship as CSV': {
    kept: ['get', 'list', 'export'],
    isKept: absent(() => 'views/slips?format=csv'),
  },
  'report grouped through a relationship as CSV': {
    kept: ['get', 'list', 'export'],
    isKept: absent(() => 'reports/slips?format=csv'),
  },
  'view through a relationship': { kept: ['get', 'list'], isKept: absent(() => 'views/slips') },
  'report as PDF': {
    kept: ['list', 'export'],
    async isKept({ server, tag }) {
      const http = server.kernel.get(HttpServerCapability)
      const path = `${BASE}/reports/notes?tag=${tag}&format=pdf`
      const headers = { authorization: `Bearer ${server.admin}` }
      const answer = await http.fetch(new Request(new URL(path, http.url()), { headers }))
      expect(answer.status).toBe(200)
      const pages = await pagesOf(new Uint8Array(await answer.arrayBuffer()))
      // The parameter is told once, and the text with each row.
      const text = pages.map((page) => page.text).join('')
      return text.split(tag).length <= 2
    },
  },
  report: {
    kept: ['list'],
    isKept: async ({ send, tag }) => {
      const { body } = await send('GET', `reports/notes?tag=${tag}`)
      const [{ metrics }, { items }, { groups }] = body.data.sections
      const found = [metrics[0].value > 0, items.length > 0, groups.length > 0]
      return new Set(found).size === 1 ? !found[0] : `some of ${found.join()}`
    },
  },
  'report as CSV': {
    kept: ['list', 'export'],
    isKept: absent(({ tag }) => `reports/notes?tag=${tag}&format=csv&section=2`),
  },
  counter: { kept: ['list'], isKept: counted('now') },
  scorecard: { kept: ['list'], isKept: counted('now', (widgets) => widgets.figure.value) },
  breakdown: { kept: ['list'], isKept: absentIn('texts') },
  'time series': { kept: ['list'], isKept: counted('now', (widgets) => widgets.series.groups[0].value) },
  'table of a dashboard': {
    kept: ['list'],
    isKept: counted('now', (widgets) => widgets.rows.items.length),
  },
  'timeline of a dashboard': {
    kept: ['list'],
    isKept: counted('now', (widgets) => widgets.lately.items.length),
  },
  'widget alone': {
    kept: ['list'],
    isKept: async (one) => {
      const count = async () => (await one.send('GET', 'dashboards/now/widgets/notes')).body.data.value
      return (await count()) < (await one.lifted(count))
    },
  },
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
      (one) => ({ version: one.version }),
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
  'script that counts, as the system': {
    kept: ['list'],
    async isKept(one) {
      const input = () => ({ query: { 'filter[personId]': one.person } })
      const { total, count } = (await calling('svc.house.note.count', input)(one)) as any
      return (total ?? count) === 0
    },
  },
  'script that creates, as the system': {
    kept: ['create'],
    isKept: scripted('create', ({ person }) => ({ data: { personId: person, text: 'scripted' } })),
  },
  'script that puts, as the system': {
    kept: UPDATES,
    isKept: scripted('put', (one) => ({
      ...ofNote('scriptPut')(one),
      data: { text: 'put', personId: one.person },
    })),
  },
  'script that deletes, as the system': {
    kept: ['delete'],
    isKept: scripted('delete', ofNote('scriptDeleted')),
  },
  'script that moves, as the system': {
    kept: ['transition'],
    isKept: scripted('close', ofNote('scriptMoved')),
  },
  'script that stamps, as the system': {
    kept: ['custom'],
    isKept: scripted('stamp', ofNote('scriptStamped')),
  },
  ...BY_ITSELF,
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
  'integration by a write': {
    kept: ['update', 'automate'],
    begin: (one) => one.send('PATCH', `notes/${one.note('sent')}`, { role: 'sent' }),
    isKept: untold('/told', 'sent'),
  },
  'integration by the clock': {
    kept: ['list', 'automate'],
    isKept: untold('/clocked', 'clocked'),
  },
  'integration by hand': {
    kept: ['get', 'automate'],
    isKept: refused(
      'POST',
      () => 'integrations/crm/operations/told',
      (one) => ({ recordId: one.note('byHand') }),
    ),
  },
  'integration that writes': {
    kept: ['get', 'update', 'automate'],
    isKept: refused(
      'POST',
      () => 'integrations/crm/operations/written',
      (one) => ({ recordId: one.note('written') }),
    ),
  },
  webhook: {
    kept: ['list', 'update', 'automate'],
    begin: (one) => one.send('PATCH', `notes/${one.note('hooked')}`, { role: 'hooked' }),
    isKept: async (one) =>
      !one.sink.received.some(
        ({ path, body }) =>
          path === '/hook' && body.includes(one.note('hooked')) && body.includes('note.updated'),
      ),
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
  'scriptPut',
  'scriptDeleted',
  'scriptMoved',
  'scriptStamped',
  'arrived',
  'arrivedMoved',
  'heard',
  'begun',
  'each',
  'timed',
  'batched',
  'told',
  'sent',
  'clocked',
  'byHand',
  'written',
  'hooked',
  'card',
  'made',
] as const

/** Roles that something is found by from the start. */
const FOUND = new Set(['each', 'timed', 'batched', 'clocked'])

/** When the notes come to be the person's: before the restriction, or while it is in force. */
const MOMENTS = ['before', 'after'] as const
type Moment = (typeof MOMENTS)[number]

/** Who is restricted in what, and since when; a smoke has each operation once, one before and the next after. */
const EACH = size('DOORS_MOMENTS', { smoke: 1, whole: MOMENTS.length })
const CASES = [undefined, ...OPERATIONS].flatMap((operation, at) =>
  Array.from({ length: EACH }, (_, more) => [operation, MOMENTS[(at + more) % MOMENTS.length]!] as const),
)
const RESTRICTED = CASES.filter((one): one is readonly [Operation, Moment] => one[0] !== undefined)
const FREE = CASES.filter(([operation]) => operation === undefined).map(([, moment]) => moment)

for (const store of STORES) {
  describe(`what a restriction keeps from whom on ${store.name}`, () => {
    let sink: Sink
    const server = useTestKernel({
      store,
      config: {
        jobs: { enabled: false },
        outbound: { allow_private: ['127.0.0.1'] },
        auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 86_400 } },
      },
    })
    afterAll(async () => {
      delete process.env[POST.variable]
      await sink.stop()
    })
    const send: Case['send'] = (method, path, body) =>
      server().request(method, `${BASE}/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})

    /** Somebody with a note for each door, of whose records an operation is restricted. */
    async function somebody(operation: Operation | undefined, moment: Moment): Promise<Case> {
      const name = `${operation ?? 'nobody'}-${moment}`
      const person = (await send('POST', 'people', { email: `${name}@example.org` })).body.data.id
      const folder = (await send('POST', 'folders', { title: name })).body.data.id
      const tag = `text-of-${name}`
      const isLate = moment === 'after'
      const path = `privacy/subject/${name}%40example.org`
      const restrict = async () => {
        if (operation === undefined) return
        const asked = { reason: 'x', restrictedOperations: [operation] }
        const answer = await send('POST', `${path}/restrict`, asked)
        expect(answer.body.data.records).toBeGreaterThanOrEqual(1)
      }
      const make = async (isTheirs: boolean) => {
        const items = ROLES.map((role) => ({
          personId: isTheirs ? person : null,
          folderId: folder,
          text: tag,
          role: FOUND.has(role) ? role : role === 'get' ? 'boarded' : 'none',
        }))
        const { body } = await send('POST', 'notes/bulk', { items })
        expect(body.data.failed).toBe(0)
        return new Map(ROLES.map((role, at) => [role as string, body.data.items[at].id as string]))
      }
      const link = async (notes: ReadonlyMap<string, string>, roles: readonly string[]) => {
        for (const role of roles) {
          const answer = await send('PATCH', `notes/${notes.get(role)}`, { personId: person })
          expect([name, role, answer.status]).toEqual([name, role, 200])
        }
      }
      const prepare = async (notes: ReadonlyMap<string, string>) => {
        await send('PATCH', `notes/${notes.get('reverted')}`, { role: 'later' })
        await send('POST', `folders/${folder}/pinned`, { noteId: notes.get('unlinked') })
        await send('POST', 'slips', { title: folder, noteId: notes.get('get') })
      }
      let notes: ReadonlyMap<string, string>
      if (isLate && operation === 'update') {
        // What is not to be changed comes to be the person's as it is made.
        await restrict()
        notes = await make(true)
        await send('POST', 'slips', { title: folder, noteId: notes.get('get') })
        await send('DELETE', `notes/${notes.get('gone')}`)
      } else if (isLate) {
        notes = await make(false)
        await prepare(notes)
        // What is not to be deleted was so before.
        const first = operation === 'delete' ? ['gone'] : []
        await link(notes, first)
        if (operation === 'delete') await send('DELETE', `notes/${notes.get('gone')}`)
        await restrict()
        await link(
          notes,
          ROLES.filter((role) => !first.includes(role)),
        )
        await send('PATCH', `notes/${notes.get('reverted')}`, { role: 'later still' })
        if (operation !== 'delete') await send('DELETE', `notes/${notes.get('gone')}`)
      } else {
        notes = await make(true)
        await prepare(notes)
        await send('DELETE', `notes/${notes.get('gone')}`)
        await restrict()
      }
      return {
        name,
        sink,
        server: server(),
        tag,
        person,
        folder,
        notes,
        version: isLate && operation !== 'update' ? 3 : 1,
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

    const cases = new Map<string, Case>()

    beforeAll(async () => {
      sink = await startSink(() => ({ status: 200 }))
      process.env[POST.variable] = POST.secret
      await server().submit(house(sink.url))
      await tick()
      for (const [operation, moment] of CASES)
        cases.set(`${operation} ${moment}`, await somebody(operation, moment))
      // It hears nothing of what was before it.
      server().clock.advance(1000)
      const endpoint = { url: `${sink.url}/hook`, events: ['svc.house.note.updated'], as: 'admin' }
      const made = await server().request('POST', '/api/v1/admin/webhooks', {
        token: server().admin,
        body: endpoint,
      })
      expect(made.status).toBe(201)
      for (const { begin } of Object.values(DOORS)) for (const one of cases.values()) await begin?.(one)
      await send('POST', 'workflows/each/instances', {})
      for (let turn = 0; turn < 22; turn += 1) {
        await tick()
        server().clock.advance(30_000)
      }
    }, 120_000)

    it.each(FREE)(
      'P20: every door is open to the records of who is not restricted, linked %s',
      async (moment) => {
        const open = Object.keys(DOORS).map((name) => [name, false])
        expect(await table(cases.get(`undefined ${moment}`)!)).toEqual(Object.fromEntries(open))
      },
    )

    it.each(RESTRICTED)(
      'P20: %s restricted is kept from its doors, and from no others, by records linked %s',
      async (operation, moment) => {
        const expected = Object.entries(DOORS).map(([name, { kept }]) => [name, kept.includes(operation)])
        // What is not to be changed from the start is linked to nothing.
        const bare = operation === 'update' && moment === 'after' ? { 'linked list': true } : {}
        expect(await table(cases.get(`${operation} ${moment}`)!)).toEqual({
          ...Object.fromEntries(expected),
          ...bare,
        })
      },
    )
  })
}
