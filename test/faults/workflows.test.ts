import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import {
  addTask,
  desk,
  ENTRIES,
  INSTANCES,
  QUIET,
  send,
  TASKS,
  WORKFLOWS,
} from '../acceptance/workflows/desk.ts'
import { createRandom } from '../kit/random.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../kit/test-kernel.ts'
import { Power } from './power.ts'
import { drawWorkflow } from './workflow-graphs.ts'

// Random workflows, run once without disturbance and once with a death at every commit in turn: the same records, results
// and statuses. The server that dies commits nothing more, and knows nothing of it; a lease later it is another one.

const GRAPHS = size('WORKFLOW_GRAPHS', { smoke: 1, whole: 40 })
const SEED = size('WORKFLOW_SEED', { smoke: 1, whole: 1 })
/** Every how many commits the server dies. */
const STRIDE = size('WORKFLOW_STRIDE', { smoke: 47, whole: 1 })

const LEASE_MS = 31_000
const HOUR_MS = 3_600_000

interface Outcome {
  readonly status: string
  readonly steps: readonly string[]
  readonly entries: readonly string[]
  readonly task: number
}

interface Instance {
  readonly status: string
  readonly steps?: readonly any[]
  readonly waitingFor?: readonly { readonly until: string | null }[]
}

/** How long an instance that waits has still to wait, in milliseconds: an hour where it does not say. */
function untilNext({ waitingFor = [] }: Instance, now: number): number {
  const moments = waitingFor.flatMap(({ until }) => (until === null ? [] : [Date.parse(until) - now]))
  return Math.max(1, Math.min(...moments, moments.length === 0 ? HOUR_MS : Infinity))
}

/** Runs one instance to its end, with a death after so many commits. */
async function run(server: TestKernel, power: Power, workflow: string, death: number): Promise<Outcome> {
  power.left = Infinity
  const task = await addTask(server, { size: 1 })
  const { id } = await send(server, 'POST', `${WORKFLOWS}/${workflow}/instances`, { recordId: task.id })
  power.moments = 0
  power.left = death
  let found: Instance = { status: 'running' }
  for (let round = 0; found.status === 'running' || found.status === 'waiting'; round += 1) {
    expect(round).toBeLessThan(2000)
    await server.kernel
      .callAs(SYSTEM)('jobs.tick', {})
      .catch(() => undefined)
    if (power.left <= 0) {
      power.left = Infinity
      server.clock.advance(LEASE_MS)
      continue
    }
    found = await send(server, 'GET', `${INSTANCES}/${id}`)
    if (found.status === 'waiting') server.clock.advance(untilNext(found, server.clock.now()))
    else if (found.status === 'running') server.clock.advance(LEASE_MS)
  }
  const { items } = await send(server, 'GET', `${ENTRIES}?filter[task]=${task.id}&limit=200`)
  return {
    status: found.status,
    steps: (found.steps ?? [])
      .map(({ name, status, attempt, item, result, error }: any) =>
        [
          name,
          status,
          attempt,
          item,
          Array.isArray(result) ? result.length : typeof result,
          error?.code,
        ].join(' '),
      )
      .toSorted(),
    entries: items.map(({ text }: { text: string }) => text).toSorted(),
    task: (await send(server, 'GET', `${TASKS}/${task.id}`)).size,
  }
}

for (const store of STORES) {
  describe(`workflows of a server that dies, on ${store.name}`, () => {
    const random = createRandom(SEED)
    const drawn = Array.from({ length: GRAPHS }, () => drawWorkflow(random))
    it.each(drawn.map((workflow, at) => [at, workflow] as const))(
      'J2: at whichever commit a server dies, records, results and statuses are the same: workflow %i',
      async (_, workflow) => {
        const definition = desk(`drawn: ${JSON.stringify(workflow)}`)
        const server = await startTestKernel({ store, config: QUIET, definition })
        try {
          const power = new Power(server.kernel.get(StoreCapability))
          const whole = await run(server, power, 'drawn', Infinity)
          const { moments } = power
          for (let death = 1; death <= moments; death += STRIDE) {
            const again = await run(server, power, 'drawn', death)
            expect(again, `death at commit ${death}: ${JSON.stringify(workflow)}`).toEqual(whole)
          }
        } finally {
          await server.stop()
        }
      },
      600_000,
    )
  })
}
