import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSink, type Sink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/club'
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const PERSON = 'name: string, email: { type: email, privacy: { subjectIdentifier: true } }'
const CLUB = (url: string) => `
domain:
  name: club
  version: '1'
  resources:
    Member:
      object: { ${PERSON}, touched: boolean, since: { type: date, default: '2020-01-01', privacy: { classification: stay } } }
      relationships: { team: { type: belongsTo, target: Team } }
      features: { caching: true, export: true }
      history: { events: { heard: { on: update, condition: "hasConsent('news')", label: Heard } } }
      scopes:
        readers: { filter: "hasConsent('news')" }
        Quiet: { filter: "NOT hasConsent('news') AND lower(name) <> 'nobody'" }
        cared: { filter: "hasConsent('care') AND name <> 'nobody'" }
        either: { filter: "(name = 'nobody' OR hasConsent('news')) = TRUE" }
      permissions: ${OPEN}
    Letter:
      object: { ${PERSON} }
      scopes: { willing: { filter: "hasConsent('news')", default: true } }
      permissions: ${OPEN}
    Card:
      object: { ${PERSON} }
      permissions: { list: "hasConsent('news')", get: "hasConsent('news')", create: ['*'], update: "hasConsent('news')", delete: ['*'] }
    Team:
      object: { title: string, silent: { type: integer, computed: "count(members, not hasConsent('news'))" } }
      relationships: { members: { type: hasMany, target: Member, foreignKey: teamId } }
      permissions: ${OPEN}
    Line: { object: { text: string, of: string }, permissions: ${OPEN} }
  views:
    readers: { source: Member, filter: "hasConsent('news')", columns: [name] }
    scoped: { source: Member, scope: readers, columns: [name] }
    members: { source: Member, columns: [name] }
    teams: { source: Team, filter: "count(members, hasConsent('news')) > 0", columns: [title, silent] }
  reports:
    readers:
      sections:
        - title: Figures
          metrics:
            - { label: Readers, value: "count(Member, hasConsent('news'))" }
            - { label: Names, value: "countDistinct(Member.name, hasConsent('news') and name != 'nobody')" }
        - { title: Rows, table: { view: members, filter: "hasConsent('news')" } }
  dashboards:
    club:
      widgets:
        filtered: { type: counter, query: { source: Member, filter: "hasConsent('news')" } }
        scoped: { type: counter, query: { source: Member, scope: readers } }
        aggregate: { type: scorecard, query: "count(Member, hasConsent('news'))" }
        broken: { type: breakdown, query: { source: Member, groupBy: name, filter: "hasConsent('news')" } }
        rows: { type: table, query: { view: members, filter: "hasConsent('news')" } }
  rules:
    heard:
      trigger: { resource: Member, on: update, condition: "hasConsent('news')" }
      condition: name != null
      action: warn
      message: Heard
  workflows:
    begun:
      trigger: { resource: Member, event: update, condition: "hasConsent('news')" }
      steps: { write: { action: create, target: Line, input: { text: begun, of: $record.name } } }
    each:
      steps:
        all:
          forEach:
            collection: { resource: Member, filter: "hasConsent('news')" }
            step: { action: create, target: Line, input: { text: each, of: $item.name } }
  schedules:
    filtered:
      recurrence: every 3650 days
      source: { resource: Member, filter: "hasConsent('news')" }
      action: create
      target: Line
      input: { text: filtered, of: $record.name }
    skipping:
      recurrence: every 3650 days
      source: { resource: Member }
      skipIf: "not hasConsent('news')"
      action: create
      target: Line
      input: { text: skipping, of: $record.name }
  templates:
    all:
      format: markdown
      data: { members: { source: Member, filter: "hasConsent('news')" } }
      body: '{#each members}{name} {/each}'
  integrations:
    crm:
      type: rest
      baseUrl: '${url}'
      operations:
        told:
          method: POST
          path: /told
          when: "hasConsent('news')"
          trigger: { resource: Member, event: update, condition: "hasConsent('news')" }
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email }
    classifications: { stay: {} }
    retention:
      - { category: stay, duration: 1d, action: anonymize, from: since, when: "hasConsent('news')" }
    consent: [{ purpose: news }, { purpose: care, required: true }]
`

for (const store of STORES) {
  describe(`filters that ask for consent on ${store.name}`, () => {
    let sink: Sink
    beforeAll(async () => {
      sink = await startSink(() => ({ status: 200 }))
    })
    afterAll(() => sink.stop())
    const server = useTestKernel({
      store,
      config: { outbound: { allow_private: ['127.0.0.1'] }, jobs: { enabled: false } },
    })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `${BASE}/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const consent = (what: 'grant' | 'withdraw', name: string) =>
      send('POST', `privacy/subject/${name}%40example.org/consent/${what}`, {
        purpose: 'news',
        ...(what === 'withdraw' && { reason: 'x' }),
      })
    const get = async (path: string) => {
      const { status, body } = await send('GET', path)
      expect([path, status]).toEqual([path, 200])
      return body.data
    }
    const namesIn = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name).toSorted()
    const names = async (path: string) => namesIn((await get(path)).items)
    const lines = async (text: string): Promise<readonly string[]> =>
      (await get(`lines?filter[text]=${text}&limit=100`)).items.map(({ of }: { of: string }) => of)
    const tick = async () => {
      for (let turn = 0; turn < 3; turn += 1) await server().kernel.callAs(SYSTEM)('jobs.tick', {})
    }
    const ids = new Map<string, string>()
    let team = ''

    beforeAll(async () => {
      await server().submit(CLUB(sink.url))
      team = (await send('POST', 'teams', { title: 'first' })).body.data.id
      await send('POST', 'teams', { title: 'second' })
      for (const name of ['ada', 'bob']) {
        const person = { name, email: `${name}@example.org` }
        ids.set(name, (await send('POST', 'members', { ...person, teamId: team })).body.data.id)
        for (const path of ['letters', 'cards'])
          ids.set(`${path}/${name}`, (await send('POST', path, person)).body.data.id)
      }
      await send('POST', 'members', { name: 'nobody' })
      await consent('grant', 'ada')
    })

    /** Who is picked by everything that picks. */
    async function picked(): Promise<Readonly<Record<string, unknown>>> {
      const { sections } = await get('reports/readers')
      const { widgets } = await get('dashboards/club')
      const preview = await send('POST', 'templates/all/preview', {})
      return {
        scope: await names('members?scope=readers'),
        'scope with a filter': await names('members?scope=readers&filter[name][ne]=x&sort=-name'),
        'rest of a scope': await names('members?scope=Quiet'),
        'required in a scope': await names('members?scope=cared'),
        'scope with a comparison': await names('members?scope=either'),
        'count of a scope': (await get('members/count?scope=readers')).total,
        'export of a scope': (await send('GET', 'members/export?scope=readers&fields=name')).body,
        'default scope': await names('letters'),
        'list permission': await names('cards'),
        'view by filter': await names('views/readers'),
        'view by scope': await names('views/scoped'),
        'view of those who lead there': (await get('views/teams')).items.map(
          ({ title, silent }: { title: string; silent: number }) => [title, silent],
        ),
        metrics: sections[0].metrics.map(({ value }: { value: number }) => value),
        'table of a report': namesIn(sections[1].items),
        'counter by filter': widgets.filtered.value,
        'counter by scope': widgets.scoped.value,
        'scorecard by aggregate': widgets.aggregate.value,
        breakdown: widgets.broken.groups.map(({ key }: { key: string }) => key),
        'table of a dashboard': namesIn(widgets.rows.items),
        template: /ada|bob|nobody/g.exec(String(preview.body))?.join(),
        retention: (await send('POST', 'privacy/retention', { dryRun: true })).body.data.items,
      }
    }

    const pickedOnly = (name: string, other: string) => ({
      scope: [name],
      'scope with a filter': [name],
      'rest of a scope': [other],
      'required in a scope': ['ada', 'bob'],
      'scope with a comparison': [name, 'nobody'],
      'count of a scope': 1,
      'export of a scope': expect.stringMatching(
        new RegExp(`^[^\\n]*name[^\\n]*\\r?\\n[^\\n]*${name}[^\\n]*\\r?\\n?$`),
      ),
      'default scope': [name],
      'list permission': [name],
      'view by filter': [name],
      'view by scope': [name],
      'view of those who lead there': [['first', 1]],
      metrics: [1, 1],
      'table of a report': [name],
      'counter by filter': 1,
      'counter by scope': 1,
      'scorecard by aggregate': 1,
      breakdown: [name],
      'table of a dashboard': [name],
      template: name,
      retention: [expect.objectContaining({ resource: 'Member', due: 1 })],
    })

    it('P22: pick by it wherever the database picks, and follow what is granted and withdrawn', async () => {
      expect(await picked()).toEqual(pickedOnly('ada', 'bob'))
      await consent('withdraw', 'ada')
      await consent('grant', 'bob')
      expect(await picked()).toEqual(pickedOnly('bob', 'ada'))
      await consent('withdraw', 'bob')
      await consent('grant', 'ada')
      expect(await picked()).toEqual(pickedOnly('ada', 'bob'))
    })

    it('P22: one record is there in a scope, and writable, as the list says', async () => {
      expect((await send('GET', `members/${ids.get('ada')}?scope=readers`)).status).toBe(200)
      expect((await send('GET', `members/${ids.get('bob')}?scope=readers`)).status).toBe(404)
      expect((await send('GET', `cards/${ids.get('cards/ada')}`)).status).toBe(200)
      expect((await send('GET', `cards/${ids.get('cards/bob')}`)).status).toBe(403)
      const bulk = await send('PATCH', 'cards/bulk', {
        ids: [ids.get('cards/ada'), ids.get('cards/bob')],
        data: { name: 'x' },
      })
      expect(bulk.body.data).toMatchObject({ updated: 1, failed: 1 })
    })

    it('P22: triggers hear by it, and what runs by itself picks by it', async () => {
      const warnings = []
      for (const name of ['ada', 'bob'])
        warnings.push(
          (await send('PATCH', `members/${ids.get(name)}`, { touched: true })).body.warnings ?? [],
        )
      expect(warnings).toMatchObject([[{ message: 'Heard' }], []])
      await send('POST', 'workflows/each/instances', {})
      for (const schedule of ['filtered', 'skipping']) await send('POST', `schedules/${schedule}/run`, {})
      await tick()
      for (const text of ['begun', 'each', 'filtered', 'skipping'])
        expect([text, await lines(text)]).toEqual([text, ['ada']])
      const heard = async (name: string) =>
        (await get(`members/${ids.get(name)}/history`)).items.filter(
          ({ event }: { event: string }) => event === 'heard',
        ).length
      expect([await heard('ada'), await heard('bob')]).toEqual([1, 0])
      const told = async () => (await get('integrations/crm/log')).items
      await expect.poll(async () => (await told()).length, { timeout: 10_000 }).toBeGreaterThan(0)
      await tick()
      expect((await told()).map(({ recordId }: { recordId: string }) => recordId)).toEqual([ids.get('ada')])
      expect(sink.received).toHaveLength(1)
    })

    it.each([
      ["hasConsent('newz')", "there is no purpose 'newz'"],
      ['hasConsent(name)', 'no value that is written out'],
      ['hasConsent()', 'takes 1 argument'],
      ["hasconsent('news')", "a filter has no function 'hasconsent'"],
      ["hasConsent('news') > 1", 'true and false have no order'],
    ])('P22: the scope %s is PARSE_ERROR', async (filter, says) => {
      const content = CLUB(sink.url)
        .replace("version: '1'", "version: '2'")
        .replace(
          `readers: { filter: "hasConsent('news')" }`,
          `readers: { filter: ${JSON.stringify(filter)} }`,
        )
      const answer = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content },
      })
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringContaining(says)])
    })

    it('P22: the scope of records by which nobody is found is PARSE_ERROR', async () => {
      const content = CLUB(sink.url)
        .replace("version: '1'", "version: '3'")
        .replace('Line: { object', `Line: { scopes: { wrong: { filter: "hasConsent('news')" } }, object`)
      const answer = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content },
      })
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        422,
        expect.stringContaining('needs a record that people are found by'),
      ])
    })
  })
}
