import { Session } from 'node:inspector/promises'
import { mkdtempSync, rmSync, writeFileSync, copyFileSync } from 'node:fs'
import { createKernel } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { AccountsCapability } from '@svc/auth/contract'
import { standardPlugins } from '@svc/server'
const N = 30
const content = `
domain:
  name: hold
  version: '1.0.0'
  resources:
    Task:
      object: { title: { type: string, required: true }, done: boolean, size: integer, at: datetime, ownerId: uuid }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Note:
      object: { text: text, taskId: { type: uuid, references: Task } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const t: Record<string, number> = {}
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const c = process.cpuUsage()
  const r = await work()
  const d = process.cpuUsage(c)
  t[what] = (t[what] ?? 0) + (d.user + d.system) / 1000
  return r
}
let template: string | undefined
async function one() {
  const folder = mkdtempSync('/dev/shm/zz-')
  if (template) copyFileSync(template, `${folder}/t.db`)
  const sections = {
    sqlite: { path: `${folder}/t.db` },
    files: { root: folder },
    rest: { port: 0 },
    auth: { jwt: { secret: 'a secret of tests that is long enough' } },
    rate_limit: { enabled: false },
  }
  const kernel = createKernel({
    config: sections,
    plugins: standardPlugins(sections),
    environment: 'production',
  })
  await timed('start', () => kernel.start())
  if (template) {
    const accounts: any = kernel.get(AccountsCapability)
    const http: any = kernel.get(HttpServerCapability)
    let token = ''
    await timed('account', async () => {
      await accounts
        .create({ username: 'admin', email: 'a@example.org', password: 'Correct-horse-7', roles: ['admin'] })
        .catch((e: unknown) => {
          console.log(e)
          process.exit(1)
        })
      const r = await http.fetch(
        new Request(`${http.url()}/api/v1/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: 'admin', password: 'Correct-horse-7' }),
        }),
      )
      token = (await r.json()).data.access_token
    })
    const send = (method: string, path: string, body?: unknown) =>
      http.fetch(
        new Request(`${http.url()}${path}`, {
          method,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
    await timed('submit', async () => {
      const r = await send('POST', '/api/v1/domains', { content })
      if (r.status !== 201) {
        console.log(await r.text())
        process.exit(1)
      }
    })
    await timed('create', async () => {
      const r = await send('POST', '/api/v1/hold/tasks', { title: 'a' })
      if (r.status !== 201) {
        console.log(await r.text())
        process.exit(1)
      }
    })
    await timed('list', async () => {
      const r = await send('GET', '/api/v1/hold/tasks')
      await r.text()
    })
  }
  await timed('stop', () => kernel.stop())
  if (!template) {
    copyFileSync(`${folder}/t.db`, '/dev/shm/zz-template.db')
    template = '/dev/shm/zz-template.db'
  }
  rmSync(folder, { recursive: true, force: true })
}
for (let i = 0; i < 12; i++) await one()
for (const k in t) t[k] = 0
const s = new Session()
s.connect()
await s.post('Profiler.enable')
await s.post('Profiler.setSamplingInterval', { interval: 200 })
for (let i = 0; i < N; i++) await one()
console.log(
  Object.entries(t)
    .map(([k, v]) => `${k} ${(v / N).toFixed(1)}`)
    .join('  '),
)
await s.post('Profiler.start')
for (let i = 0; i < N; i++) await one()
const { profile } = await s.post('Profiler.stop')
writeFileSync('/work/tmp/submit.cpuprofile', JSON.stringify(profile))
process.exit(0)
