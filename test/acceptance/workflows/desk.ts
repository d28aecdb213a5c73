import { SYSTEM } from '@svc/kernel'
import { expect } from 'vitest'
import { SECRET, type TestKernel } from '../../kit/test-kernel.ts'

/** Nobody works by itself in these tests: `tick` does what is due by the test's clock. */
export const QUIET = {
  // One worker, so that lines take their turns.
  jobs: { enabled: false, workers: 1 },
  // Days pass in these tests.
  auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 3_153_600_000 } },
}

/** Resources that most tests of workflows work with; `workflows` is what stands under the key. */
export const desk = (workflows: string, version = '1'): string => `
domain:
  name: desk
  version: '${version}'
  resources:
    Task:
      object:
        title: { type: string, required: true }
        size: { type: integer, default: 1 }
        note: string
        tags: json
        status: { type: string, default: open }
      stateMachine:
        field: status
        initial: open
        states:
          open: { transitions: { begin: { to: doing }, drop: { to: done } } }
          doing: { transitions: { finish: { to: done } } }
          done: { final: true }
      permissions: &all { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Entry:
      object:
        text: { type: string, required: true }
        task: string
        size: integer
      permissions: *all
  workflows:
${workflows.replace(/^/gm, '    ')}
`

export const TASKS = '/api/v1/desk/tasks'
export const ENTRIES = '/api/v1/desk/entries'
export const WORKFLOWS = '/api/v1/desk/workflows'
export const INSTANCES = `${WORKFLOWS}/instances`

/** Does all that is due. */
export const tick = async ({ kernel }: TestKernel): Promise<unknown> => kernel.callAs(SYSTEM)('jobs.tick', {})

/** Moves the clock forward, and does what is due then. */
export async function pass(server: TestKernel, seconds: number): Promise<void> {
  server.clock.advance(seconds * 1000)
  await tick(server)
}

/** Sends a request that has to go well; answers its data. */
export async function send(server: TestKernel, method: string, path: string, body?: unknown) {
  const { request, admin: token } = server
  const answer = await request(method, path, { token, ...(body !== undefined && { body }) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body?.data
}

/** Creates a task. */
export const addTask = (server: TestKernel, task: object = {}) =>
  send(server, 'POST', TASKS, { title: 'One', ...task })

/** The instances of a workflow, the oldest first, each in full. */
export async function instances(server: TestKernel, query = '') {
  const { items } = await send(server, 'GET', `${INSTANCES}?${query}`)
  const found = await Promise.all(
    items.map(({ id }: { id: string }) => send(server, 'GET', `${INSTANCES}/${id}`)),
  )
  return found.toReversed()
}

/** The only instance. */
export async function instance(server: TestKernel, query = '') {
  const all = await instances(server, query)
  expect(all).toHaveLength(1)
  return all[0]
}

/** What was written into the book, in order. */
export async function texts(server: TestKernel): Promise<readonly string[]> {
  const { items } = await send(server, 'GET', `${ENTRIES}?limit=200&sort=id`)
  return items.map(({ text }: { text: string }) => text)
}

/** Submits a definition; answers the status and the problems or warnings. */
export async function submitted(server: TestKernel, definition: string) {
  const { request, admin: token } = server
  const { status, body } = await request('POST', '/api/v1/domains', { token, body: { content: definition } })
  return { status, body }
}
