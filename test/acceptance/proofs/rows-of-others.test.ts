import { SYSTEM } from '@svc/kernel'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { asked, askedAlong, followed, listOf, queries, reads, repeated } from './questions.ts'
import { type Question, seen, startTwins, type Twins } from './twins.ts'

const REQUESTS = size('PROOF_ROWS', { smoke: 80, whole: 500 })
const SEED = 815

const DEFINITION = `
domain:
  name: desk
  version: '1.0.0'
  resources:
    Memo:
      features: { search: true, export: true, import: true, audit: true, versioning: true, softDelete: true }
      object:
        title: { type: string, required: true }
        size: integer
        code: { type: string, unique: true }
        length: { type: integer, computed: 'length(title)' }
        folderSize: { type: integer, computed: sum(folder.memos.size) }
        tasks: { type: integer, computed: count(tasksAbout) }
        createdById: uuid
        createdAt: datetime
        deletedAt: datetime
      relationships:
        folder: { type: belongsTo, target: Folder, onDelete: restrict }
        tasksAbout: { type: hasMany, target: Task, foreignKey: memoId }
      permissions:
        { list: [owner, boss], get: [owner, boss], create: [authenticated], update: [owner], delete: [owner, boss] }
      history: { events: { made: { on: create, label: 'Made {title}', capture: [title] } } }
    Task:
      features: { search: true, export: true, audit: true, versioning: true, caching: true }
      object:
        title: { type: string, required: true }
        size: integer
        team: { type: string, default: red }
        phase: string
        code: { type: string, unique: true }
        ownerName: string
        userId: uuid
        memoTitle: { type: string, computed: memo.title }
        others: { type: integer, computed: 'count(folder.tasks, size > 0)' }
        remarkCount: { type: integer, computed: count(remarks) }
        loudest: { type: string, computed: 'max(folder.memos, upper(title))' }
      relationships:
        folder: { type: belongsTo, target: Folder }
        memo: { type: belongsTo, target: Memo }
        labels: { type: belongsToMany, target: Label }
        remarks: { type: hasMany, target: Remark, foreignKey: taskId }
      stateMachine:
        field: phase
        initial: open
        states:
          open: { transitions: { close: { to: closed } } }
          closed: { transitions: { open: { to: open } } }
      permissions:
        list: 'team = "red" or isOwner()'
        get: 'team = "red" or isOwner()'
        create: [authenticated]
        update: 'team = "red" or isOwner()'
        delete: [boss]
        conditional: { list: { closed: [boss] } }
    Remark:
      features: { search: true, export: true, audit: true, versioning: true, caching: true, softDelete: true }
      object:
        title: { type: string, required: true }
        size: integer
        phase: string
        about: { type: string, computed: task.title }
        near: { type: integer, computed: count(task.remarks) }
        deletedAt: datetime
      relationships: { task: { type: belongsTo, target: Task } }
      stateMachine:
        field: phase
        initial: open
        states:
          open: { transitions: { close: { to: closed, guard: count(task.remarks) > 1 } } }
          closed: { transitions: { open: { to: open } } }
      permissions:
        list: task.userId == user.id
        get: task.userId == user.id
        create: task.userId == user.id
        update: 'task.userId == user.id and count(task.labels) > 0'
        delete: 'task.userId == user.id and all(task.remarks, size < 90)'
        conditional: { update: { closed: 'any(task.labels, title == "l") and task.userId == user.id' } }
        transitions: { open: 'task.userId == user.id and task.folder.title == "a"' }
      history: { events: { made: { on: create, label: 'Made {title}', condition: task.folder.title == 'a' } } }
    Page:
      object: { title: { type: string, required: true }, size: integer, userId: uuid }
      relationships: { folder: { type: belongsTo, target: Folder } }
      permissions: { list: [owner], get: [owner], create: [authenticated], update: [owner], delete: [owner] }
      api: { under: Folder, directAccess: [list, get] }
    Folder:
      features: { caching: true, export: true }
      object:
        title: { type: string, required: true }
        memoCount: { type: integer, computed: count(memos) }
        taskSize: { type: integer, computed: sum(tasks.size) }
        firstMemo: { type: string, computed: first(memos.title) }
        largest: { type: integer, computed: 'max(memos, size)' }
        remarked: { type: integer, computed: 'sum(tasks, count(remarks))' }
        labelled: { type: boolean, computed: 'all(tasks, count(labels) > 1)' }
      relationships:
        memos: { type: hasMany, target: Memo, foreignKey: folderId, orderBy: { size: desc } }
        tasks: { type: hasMany, target: Task, foreignKey: folderId }
      permissions: { list: ['*'], get: ['*'], create: [boss], update: [boss], delete: [clerk] }
    Label:
      features: { caching: true }
      object:
        title: { type: string, required: true }
        taskCount: { type: integer, computed: count(tasks) }
      relationships: { tasks: { type: belongsToMany, target: Task } }
      permissions: { list: ['*'], get: ['*'], create: [boss], update: [boss] }
`
const BASE = '/api/v1/desk'
const MEMOS = `${BASE}/memos`
const TASKS = `${BASE}/tasks`
const REMARKS = `${BASE}/remarks`

interface Known {
  readonly clerk: string
  readonly boss: string
  readonly folders: readonly string[]
  readonly labels: readonly string[]
  readonly own: {
    readonly memos: readonly string[]
    readonly tasks: readonly string[]
    readonly remarks: readonly string[]
  }
  /** Records of somebody else that one server alone has. */
  readonly alien: {
    readonly memo: string
    readonly key: string
    readonly task: string
    readonly remark: string
  }
}

for (const store of STORES) {
  describe(`records of others on ${store.name}`, () => {
    let twins: Twins
    let known: Known

    beforeAll(async () => {
      twins = await startTwins(store, DEFINITION)
      known = await settle(twins)
    })
    afterAll(() => twins?.stop())

    const both = (question: Question) => twins.ask(question, known.clerk)
    /** Statuses and codes of the two servers: without the record, and with it. */
    const outcomes = async (question: Question) =>
      (await both(question)).map(({ status, body }) => [status, body?.error_code ?? null])

    it('change no byte of any answer, whatever is asked and written', async () => {
      const codes = new Map<number, number>()
      const sample = fc.sample(questions(known), { numRuns: REQUESTS, seed: SEED })
      for (const [at, question] of sample.entries()) {
        // What is kept of an answer to somebody who may list everything is no answer to others.
        if (at % 4 === 0 && question.method === 'GET') await twins.ask(question, known.boss)
        const answer = await same(question)
        expect(answer.status, JSON.stringify(question)).toBeLessThan(500)
        codes.set(answer.status, (codes.get(answer.status) ?? 0) + 1)
        const next = followed(question, answer)
        if (next) await same(next)
        const again = repeated(question, answer)
        if (again) expect((await same(again)).status, JSON.stringify(question)).toBe(304)
      }
      expect(codes.get(200)).toBeGreaterThan(REQUESTS / 3)
      expect(codes.get(201)).toBeGreaterThan(REQUESTS / 30)
    })

    it('[9.5] change nothing that is asked along relationships', async () => {
      const ways = {
        folders:
          'memos.title memos.size memos.length memos.code memos.tasksAbout.title tasks.title tasks.size tasks.remarks.title',
        labels:
          'tasks.title tasks.size tasks.userId tasks.folder.title tasks.remarks.title tasks.remarks.size',
        memos: 'folder.title folder.memos.title folder.memos.size folder.tasks.title tasksAbout.title',
        tasks:
          'folder.memos.title folder.tasks.title labels.tasks.title labels.title memo.title remarks.size',
        remarks: 'task.title task.remarks.title task.labels.title task.folder.title task.userId',
      }
      for (const [plural, names] of Object.entries(ways)) {
        const sent = askedAlong(`${BASE}/${plural}`, names.split(' '), ['Alien 1', '99', '-20', 'ien'])
        for (const question of sent) {
          const answer = await same(question)
          expect([200, 400], JSON.stringify(question)).toContain(answer.status)
          const next = followed(question, answer)
          if (next) await same(next)
        }
      }
    })

    describe('tell of themselves by nothing but', () => {
      it('403 in place of 404, to those who know their id', async () => {
        const { memo, task } = known.alien
        const questions: readonly Question[] = [
          { method: 'GET', path: `${MEMOS}/${memo}` },
          { method: 'GET', path: `${MEMOS}/${memo}?include=_permissions` },
          { method: 'PATCH', path: `${MEMOS}/${memo}`, body: { title: 'mine' } },
          { method: 'PUT', path: `${MEMOS}/${memo}`, body: { title: 'mine' } },
          { method: 'DELETE', path: `${MEMOS}/${memo}` },
          { method: 'GET', path: `${MEMOS}/${memo}/audit` },
          { method: 'GET', path: `${MEMOS}/${memo}/versions` },
          { method: 'GET', path: `${MEMOS}/${memo}/history` },
          { method: 'POST', path: `${MEMOS}/${memo}/revert`, body: { version: 1 } },
          { method: 'GET', path: `${TASKS}/${task}` },
          { method: 'POST', path: `${TASKS}/${task}/transitions/close`, body: {} },
        ]
        for (const question of questions)
          expect([question, await outcomes(question)]).toEqual([
            question,
            [
              [404, 'NOT_FOUND'],
              [403, 'FORBIDDEN'],
            ],
          ])
      })

      it('nothing of what is below them (ruling 4.4)', async () => {
        const path = `${TASKS}/${known.alien.task}/labels`
        const missing = [404, 'NOT_FOUND']
        for (const question of [
          { method: 'GET', path },
          { method: 'POST', path, body: { labelId: known.labels[0] } },
          { method: 'POST', path, body: {} },
          { method: 'DELETE', path: `${path}/${known.labels[0]}` },
        ])
          expect([question, await outcomes(question)]).toEqual([question, [missing, missing]])
      })

      it('the same where a neighbour decides (rulings 9.2, 9.5)', async () => {
        const path = `${REMARKS}/${known.alien.remark}`
        const refused = [
          [404, 'NOT_FOUND'],
          [403, 'FORBIDDEN'],
        ]
        for (const question of [
          { method: 'GET', path },
          { method: 'GET', path: `${path}?include=task,_permissions&fields=task.title` },
          { method: 'PATCH', path, body: { size: 1 } },
          { method: 'DELETE', path },
          { method: 'GET', path: `${path}/versions` },
          { method: 'GET', path: `${path}/history` },
          { method: 'POST', path: `${path}/transitions/open`, body: {} },
        ])
          expect([question, await outcomes(question)]).toEqual([question, refused])
      })

      it('the same in the rows of a bulk request', async () => {
        const [left, right] = await both({
          method: 'PATCH',
          path: `${MEMOS}/bulk`,
          body: { ids: [known.alien.memo], data: { size: 1 } },
        })
        expect(left.body.data.errors).toMatchObject([{ error_code: 'NOT_FOUND' }])
        expect(right.body.data.errors).toMatchObject([{ error_code: 'FORBIDDEN' }])
      })

      it('the clash of a unique value, or of a key that the client chose', async () => {
        for (const body of [
          { title: 'x', code: 'alien' },
          { title: 'x', id: known.alien.key },
        ])
          expect((await outcomes({ method: 'POST', path: MEMOS, body }))[1]).toEqual([409, 'DUPLICATE'])
      })

      it('a reference that leads somewhere', async () => {
        const [folder] = known.folders
        const answers = await outcomes({ method: 'DELETE', path: `${BASE}/folders/${folder}` })
        expect(answers[1]).toEqual([409, 'REFERENCED'])
        const body = { title: 'refers', memoId: known.alien.memo }
        const [left, right] = await both({ method: 'POST', path: `${TASKS}?include=memo`, body })
        expect([left.status, left.body.errors?.[0].rule]).toEqual([422, 'reference'])
        expect(right.status).toBe(201)
        const path = `${TASKS}/${right.body.data.id}?include=memo`
        expect((await both({ method: 'GET', path }))[1].body.data.memo).toBeNull()
      })
    })

    /** The one answer of both servers. */
    async function same(question: Question) {
      const [left, right] = await both(question)
      expect(seen(right), JSON.stringify(question)).toEqual(seen(left))
      return left
    }
  })
}

/** Gives both servers the clerk's records, and one of them records of somebody else besides. */
async function settle(twins: Twins): Promise<Known> {
  const [{ token, id: clerk }] = await twins.each((server) => server.account('clerk', ['clerk']))
  const [{ id: other, token: boss }] = await twins.each((server) => server.account('other', ['boss']))
  const make = async (resource: string, data: object) => {
    const [made] = await twins.each((server) =>
      server.kernel.callAs(SYSTEM)(`svc.desk.${resource}.create`, { data }),
    )
    return idOf(made)
  }
  const alienOf = async (resource: string, data: object) => {
    const [, made] = await twins.each(async (server, side) =>
      side === 'left' ? undefined : server.kernel.callAs(SYSTEM)(`svc.desk.${resource}.create`, { data }),
    )
    return idOf(made)
  }
  const alone = (action: string, input: object) =>
    twins.each(async (server, side) => {
      if (side === 'right') await server.kernel.callAs(SYSTEM)(`svc.desk.${action}`, input)
    })
  const folders = [await make('folder', { title: 'a' }), await make('folder', { title: 'b' })]
  const labels = [await make('label', { title: 'l' }), await make('label', { title: 'm' })]
  const own = { memos: [] as string[], tasks: [] as string[], remarks: [] as string[] }
  const alien = { memo: '', key: '', task: '', remark: '' }
  for (let at = 0; at < 6; at++) {
    const mixed = { title: `Title ${at % 3}`, size: at, folderId: folders[at % 2] }
    own.memos.push(await make('memo', { ...mixed, createdById: clerk, code: `own ${at}` }))
    own.tasks.push(await make('task', { ...mixed, team: at % 2 ? 'red' : 'blue', userId: clerk }))
    await make('page', { ...mixed, userId: clerk })
    const strange = { ...mixed, title: `Alien ${at}`, size: 10 * at - 20 }
    alien.memo = await alienOf('memo', { ...strange, createdById: other, code: at ? `alien ${at}` : 'alien' })
    alien.task = await alienOf('task', { ...strange, team: 'blue', userId: other })
    await alienOf('page', { ...strange, userId: other })
    own.remarks.push(await make('remark', { title: `Title ${at}`, size: at, taskId: own.tasks[at] }))
    alien.remark = await alienOf('remark', { title: `Alien ${at}`, size: 99, taskId: alien.task })
    for (const labelId of labels) {
      await alone('task.labels.link', { id: alien.task, data: { labelId } })
      await twins.each((server) =>
        server.kernel.callAs(SYSTEM)('svc.desk.task.labels.link', { id: own.tasks[at], data: { labelId } }),
      )
    }
    await alone('memo.update', { id: alien.memo, data: { size: 99 } })
    if (at === 0) alien.key = alien.memo
    if (at === 2) await alone('memo.delete', { id: alien.memo })
  }
  return { clerk: token, boss, folders, labels, own, alien }
}

const idOf = (made: unknown): string => (made as { readonly id: string }).id

const FIELDS = [
  'id',
  'title',
  'size',
  'code',
  'length',
  'team',
  'phase',
  'userId',
  'createdById',
  'folderId',
  'taskId',
  'folderSize',
  'tasks',
  'memoTitle',
  'others',
  'remarkCount',
  'loudest',
  'about',
  'near',
  'memoCount',
  'taskSize',
  'firstMemo',
  'largest',
  'remarked',
  'labelled',
  'taskCount',
  'odd',
]
/** Ways to fields of neighbours, somebody else's among them. */
const PATHS = (
  'folder.title folder.memos.title folder.tasks.size memo.title memo.size memo.folder.title labels.title ' +
  'labels.tasks.title remarks.title remarks.size tasksAbout.title task.title task.size task.team task.userId ' +
  'task.folder.title task.labels.title task.remarks.size memos.title memos.size memos.code memos.tasksAbout.title ' +
  'tasks.title tasks.size tasks.remarks.title tasks.memo.title tasks.memoTitle odd.title folder.odd'
).split(' ')
const values = fc.oneof(
  fc.constantFrom(
    'Title 1',
    'Alien 1',
    'Alien',
    '%i%',
    '99',
    '10',
    '3',
    '-20',
    'blue',
    'red',
    'open',
    'true',
    '',
  ),
  fc.string({ maxLength: 3 }),
)
const relationships = [
  'folder',
  'memo',
  'labels',
  'memos',
  'tasks',
  'task',
  'remarks',
  'tasksAbout',
  '_permissions',
  'odd',
]
const query = queries({ fields: [...FIELDS, ...PATHS, ...PATHS], relationships, values })

/** Requests that name no record of somebody else, over every way to those of the caller. */
function questions({ own, folders, labels }: Known): fc.Arbitrary<Question> {
  const collection = fc.constantFrom(
    MEMOS,
    TASKS,
    REMARKS,
    `${BASE}/folders`,
    `${BASE}/labels`,
    `${BASE}/pages`,
  )
  const folder = fc.constantFrom(...folders).map((id) => `${BASE}/folders/${id}`)
  const record = fc.oneof(
    fc.constantFrom(...own.memos).map((id) => `${MEMOS}/${id}`),
    fc.constantFrom(...own.tasks).map((id) => `${TASKS}/${id}`),
    fc.constantFrom(...own.remarks).map((id) => `${REMARKS}/${id}`),
  )
  const below = (start: fc.Arbitrary<string>, ...ends: readonly string[]) =>
    fc.tuple(start, fc.constantFrom(...ends)).map(([at, end]) => `${at}${end}`)
  const path = fc.oneof(
    {
      weight: 3,
      arbitrary: below(collection, '', '', '/count', '/export', '/audit', '/history', '/distinct'),
    },
    below(collection, ...FIELDS.map((name) => `/distinct/${name}`)),
    below(record, '', '', '/audit', '/versions', '/history', '/labels', '/remarks'),
    below(folder, ''),
    { weight: 2, arbitrary: below(folder, '/memos', '/tasks', '/pages', '?include=memos', '?include=tasks') },
    below(
      fc.constantFrom(...labels).map((id) => `${BASE}/labels/${id}`),
      '/tasks',
      '?include=tasks',
    ),
  )
  return fc.oneof({ weight: 6, arbitrary: reads(path, query) }, writes(record, folder, own.tasks))
}

const FIELDS_SENT = { title: values, size: fc.integer({ min: -30, max: 100 }) }
const sent = fc.record(FIELDS_SENT, { requiredKeys: [] }).map((fields) => ({ ...fields }))
/** Tasks alone have a team; what else is sent one is refused. */
const sentTask = fc
  .record({ ...FIELDS_SENT, team: fc.constantFrom('red', 'blue') }, { requiredKeys: [] })
  .map((fields) => ({ ...fields }))

function writes(
  record: fc.Arbitrary<string>,
  folder: fc.Arbitrary<string>,
  tasks: readonly string[],
): fc.Arbitrary<Question> {
  const collection = fc.constantFrom(MEMOS, TASKS)
  const ending = (start: fc.Arbitrary<string>, end: string) => start.map((at) => `${at}${end}`)
  const conflict = listOf(fc.constantFrom('title', 'size', 'length', 'odd')).map((names) => names.split(','))
  const upsert = fc.record({
    items: fc.array(sentTask, { maxLength: 3 }),
    upsert: fc.constant(true),
    conflict,
  })
  const nothing = fc.constant({})
  return fc.oneof(
    asked('POST', fc.constant(MEMOS), sent),
    asked('POST', fc.constant(TASKS), sentTask),
    asked(
      'POST',
      fc.constant(REMARKS),
      fc.tuple(sent, fc.constantFrom(...tasks)).map(([fields, taskId]) => ({ ...fields, taskId })),
    ),
    asked('POST', ending(record, '/transitions/open'), nothing),
    asked('PATCH', record, sentTask),
    asked('PUT', record, sent),
    asked('POST', ending(collection, '/bulk'), upsert),
    asked('POST', ending(fc.constant(MEMOS), '/import'), fc.array(sent, { maxLength: 2 })),
    asked('POST', ending(record, '/transitions/close'), nothing),
    asked('POST', ending(record, '/revert'), fc.constant({ version: 1 })),
    asked('POST', ending(folder, '/pages'), sent),
    asked('DELETE', record, fc.constant(undefined)),
    asked('POST', ending(record, '/restore'), nothing),
  )
}
