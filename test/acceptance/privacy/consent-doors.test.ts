import { createHmac } from 'node:crypto'
import { type ActionName, AppError, SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { house, POST } from './house.ts'

const BASE = '/api/v1/house'

/** What somebody's note meets that is to be written. */
interface Case {
  readonly server: TestKernel
  readonly person: string
  readonly note: string
  send(method: string, path: string, body?: unknown): Promise<any>
}

/** Goes through with a note of its own; answers the code of what kept it, or 'done'. */
type Door = (one: Case) => Promise<string>

const asked =
  (method: string, path: (one: Case) => string, body?: (one: Case) => object): Door =>
  async (one) => {
    const answer = await one.send(method, path(one), body?.(one))
    const alone = answer.body?.data?.errors?.[0]
    return answer.body?.error_code ?? alone?.error_code ?? 'done'
  }

const scripted =
  (action: string, input: (one: Case) => object): Door =>
  ({ server, ...one }) =>
    server.kernel
      .callAs(SYSTEM)(`svc.house.note.${action}` as ActionName, input({ server, ...one }))
      .then(
        () => 'done',
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      )

const arrives =
  (integration: string, message: (one: Case) => object): Door =>
  async (one) => {
    const body = JSON.stringify(message(one))
    const signature = createHmac('sha256', POST.secret).update(body).digest('hex')
    const { status, body: answer } = await one.server.request('POST', `${BASE}/webhooks/${integration}`, {
      body,
      headers: { 'content-type': 'application/json', 'x-signature': signature },
    })
    if (status === 200) return 'done'
    const letter = await one.send(
      'GET',
      `integrations/${integration}/deadletter/${answer.data?.deadLetterId}`,
    )
    return letter.body.data?.error.code ?? `${status}`
  }

const ofNote =
  (more: object = {}) =>
  ({ note }: Case): object => ({ id: note, path: { id: note }, ...more })
const its = ({ note }: Case) => `notes/${note}`
const fresh = ({ person }: Case) => ({ personId: person, text: 'fresh' })

/** Every way to make or change a record. */
const WRITING: Readonly<Record<string, Door>> = {
  create: asked('POST', () => 'notes', fresh),
  'bulk create': asked(
    'POST',
    () => 'notes/bulk',
    (one) => ({ items: [fresh(one)] }),
  ),
  import: asked(
    'POST',
    () => 'notes/import',
    (one) => ({ items: [fresh(one)] }),
  ),
  update: asked('PATCH', its, () => ({ role: 'x' })),
  put: asked('PUT', its, fresh),
  'bulk update': asked(
    'PATCH',
    () => 'notes/bulk',
    ({ note }) => ({ ids: [note], data: { role: 'y' } }),
  ),
  upsert: asked(
    'POST',
    () => 'notes/bulk',
    ({ note }) => ({ upsert: true, items: [{ id: note, role: 'z' }] }),
  ),
  'script that creates': scripted('create', (one) => ({ data: fresh(one) })),
  'script that updates': scripted('update', ofNote({ data: { role: 'script' } })),
  'script that puts': scripted('put', (one) => ({ ...ofNote()(one), data: fresh(one) })),
  'message that makes': arrives('making', ({ person }) => ({ person, role: 'made' })),
  'message that changes': arrives('changing', ({ note }) => ({ note, role: 'arrived' })),
}

/** What takes a record away asks for nobody's consent. */
const REMOVING: Readonly<Record<string, Door>> = {
  delete: asked('DELETE', its),
  'script that deletes': scripted('delete', ofNote()),
}

const DOORS = { ...WRITING, ...REMOVING }

for (const store of STORES) {
  describe(`what consent lets be written on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: { jobs: { enabled: false }, outbound: { allow_private: ['127.0.0.1'] } },
    })
    const send: Case['send'] = (method, path, body) =>
      server().request(method, `${BASE}/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const consent = async (name: string, what: 'grant' | 'withdraw') => {
      const why = what === 'grant' ? {} : { reason: 'x' }
      const path = `privacy/subject/${name}%40example.org/consent/${what}`
      expect((await send('POST', path, { purpose: 'letters', ...why })).status).toBe(201)
    }

    beforeAll(async () => {
      process.env[POST.variable] = POST.secret
      await server().submit(house('http://127.0.0.1:9', 'consent: [{ purpose: letters, resources: [Note] }]'))
    })
    afterAll(() => {
      delete process.env[POST.variable]
    })

    /** What each door answers, of notes that were made while there was consent. */
    async function table(name: string, isWithdrawn: boolean): Promise<Readonly<Record<string, string>>> {
      await consent(name, 'grant')
      const person = (await send('POST', 'people', { email: `${name}@example.org` })).body.data.id
      const items = Object.keys(DOORS).map(() => ({ personId: person, text: 'theirs' }))
      const { body } = await send('POST', 'notes/bulk', { items })
      expect(body.data.failed).toBe(0)
      if (isWithdrawn) await consent(name, 'withdraw')
      const found: Record<string, string> = {}
      for (const [at, [door, through]] of Object.entries(DOORS).entries())
        found[door] = await through({ server: server(), person, note: body.data.items[at].id, send })
      return found
    }

    it('P22: every door is open while a purpose is in force', async () => {
      expect(await table('agreed', false)).toEqual(
        Object.fromEntries(Object.keys(DOORS).map((door) => [door, 'done'])),
      )
    })

    it('P22: none that makes or changes a record is once it is withdrawn', async () => {
      expect(await table('withdrawn', true)).toEqual(
        Object.fromEntries(
          Object.keys(DOORS).map((door) => [door, door in WRITING ? 'CONSENT_REQUIRED' : 'done']),
        ),
      )
    })
  })
}
