import { createHash } from 'node:crypto'
import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { behind } from '../../kit/behind.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { addTask, desk, instances, pass, QUIET, send, texts, tick, WORKFLOWS } from './desk.ts'

const entry = (text: string) => `{ action: create, target: Entry, input: { text: ${text} } }`
const flow = (text: string, more = '') => `
flow:
  trigger: { resource: Task, event: create }
  steps:
    rest: { wait: { timeout: { duration: 1h } } }
    write: ${entry(text)}
${more}`

for (const store of STORES) {
  describe(`the texts that instances keep to on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET, definition: desk(flow('first')) })
    const submit = (workflows: string, version: string) =>
      server().submit(desk(workflows, version), { allow_destructive: true })

    it('W3: an instance keeps to the text that it started with; version counts the texts', async () => {
      await addTask(server())
      await tick(server())
      await submit(flow('second'), '2')
      await addTask(server())
      await submit(flow('first'), '3')
      await addTask(server())
      await tick(server())
      await pass(server(), 3600)
      const all = await instances(server())
      expect(all.map(({ version, status }: any) => `${version} ${status}`)).toEqual([
        '1 completed',
        '2 completed',
        '1 completed',
      ])
      expect((await texts(server())).toSorted()).toEqual(['first', 'first', 'second'])
      expect(await send(server(), 'GET', `${WORKFLOWS}/flow`)).toMatchObject({ version: 1 })
    })

    it('W3: so it does where the workflow is taken away, and where the key is', async () => {
      await addTask(server())
      await tick(server())
      await submit('other:\n  steps: { a: { action: noop } }', '4')
      await server().submit(desk('').replace(/ {2}workflows:\s*$/, ''))
      await pass(server(), 3600)
      await submit(flow('first'), '5')
      expect((await instances(server())).at(-1)).toMatchObject({ version: 1, status: 'completed' })
    })

    it('W3: what is gone fails a step with the code that a client would get', async () => {
      await submit(flow('gone'), '6')
      await addTask(server())
      await tick(server())
      const without = desk(flow('first'), '7').replace(
        / {4}Entry:[\s\S]*? {2}workflows:/,
        '    Other: { object: { text: string } }\n  workflows:',
      )
      await server().submit(without.replace('target: Entry', 'target: Other'), { allow_destructive: true })
      await pass(server(), 3600)
      expect((await instances(server())).at(-1)).toMatchObject({
        status: 'failed',
        error: { step: 'write', code: 'NOT_FOUND' },
      })
    })

    it('A14: what is over goes after its days, and what is not over stays', async () => {
      await submit(flow('first'), '8')
      await addTask(server())
      await tick(server())
      const before = await instances(server())
      expect(before.map(({ status }: any) => status)).toContain('failed')
      server().clock.advance(91 * 86_400_000)
      await server().kernel.callAs(SYSTEM)('workflows.sweep', {})
      const left = await instances(server())
      expect(left.map(({ status }: any) => status)).toEqual(['waiting'])
    })

    it('W3: the order of steps is part of the text; what was kept before it counted is the same version', async () => {
      const rest = { wait: { timeout: { duration: '1h' } } }
      const write = (text: string) => ({ action: 'create', input: { text }, target: 'Entry' })
      const trigger = { event: 'create', resource: 'Task' }
      const [zeta, alpha, mid] = ['zeta', 'alpha', 'mid'].map(write)
      const of = (steps: object, more = {}) => `ordered: ${JSON.stringify({ steps, trigger, ...more })}`
      await submit(of({ rest, zeta, alpha, mid }), '9')
      const kept = JSON.stringify({ steps: { alpha, mid, rest, zeta }, trigger })
      const checksum = createHash('sha256').update(kept).digest('hex')
      await behind(
        server().database,
        `update desk__workflows__texts set checksum = '${checksum}', text = '${kept}' where workflow = 'ordered'`,
      )
      await submit(of({ rest, zeta, alpha, mid }), '10')
      await addTask(server())
      await submit(of({ rest, mid, alpha, zeta }), '11')
      await addTask(server())
      await submit(of({ rest, mid, alpha, zeta }, { description: 'told' }), '12')
      await tick(server())
      await pass(server(), 3600)
      const all = await instances(server(), 'workflow=ordered')
      expect(all.map(({ version }: any) => version)).toEqual([1, 2])
      const names = all.map(({ steps }: any) => steps.map(({ name }: any) => name).join(' '))
      expect(names).toEqual(['rest zeta alpha mid', 'rest mid alpha zeta'])
    })
  })
}
