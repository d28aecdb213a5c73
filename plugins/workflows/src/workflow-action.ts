import type { Performer } from '@svc/automation/contract'
import { didYouMean } from '@svc/expression/contract'
import { nearest } from '@svc/kernel'
import type { Model } from '@svc/domain/contract'
import { startByHand } from './course/starting.ts'
import type { Running } from './block.ts'

/** The action `workflow` of schedules: it starts an instance of `target`, with `input` as `$trigger.input`. */
export const workflowAction = (runningOf: (model: Model) => Running | undefined): Performer => ({
  in: ['schedule'],
  compile({ target, input }, { site, path, speech, resource }) {
    const at = [...path, 'target']
    const declared = new Map<string, unknown>(Object.entries(site.model.definition)).get('workflows')
    const known = typeof declared === 'object' && declared !== null ? Object.entries(declared) : []
    const found = known.find(([name]) => name === target)
    if (target === undefined || found === undefined) {
      const hint = didYouMean(
        nearest(
          target ?? '',
          known.map(([name]) => name),
        ),
      )
      site.problem(
        at,
        target === undefined ? 'is missing' : `there is no workflow '${target}'`,
        hint ?? 'Name a workflow',
      )
      return undefined
    }
    const about = resourceOf(found[1])
    if (about !== resource?.name) {
      site.problem(
        at,
        about === undefined
          ? `'${target}' is about no record, and the schedule is about records of '${resource?.name}'`
          : `'${target}' is about records of '${about}'`,
        'A schedule with a source starts a workflow of the same resource',
      )
      return undefined
    }
    const given = input === undefined ? undefined : site.value(input, [...path, 'input'], speech)
    if (input !== undefined && given === undefined) return undefined
    return {
      expressions: given?.expressions ?? [],
      async perform({ writes, context, key, depth }) {
        const running = runningOf(site.model)
        if (running === undefined) throw new Error(`'${site.model.name}' has no workflows`)
        const instanceId = await startByHand(
          {
            ...running,
            name: target,
            recordId: key ?? null,
            input: given?.evaluate(context) ?? null,
            caller: { id: null, username: 'system' },
            depth,
          },
          writes,
        )
        return { instanceId }
      },
    }
  },
})

/** The resource that a workflow is about, as it is written. */
function resourceOf(written: unknown): string | undefined {
  const trigger = memberOf(written, 'trigger')
  const resource = memberOf(trigger, 'resource')
  return typeof resource === 'string' ? resource : undefined
}

const memberOf = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? new Map<string, unknown>(Object.entries(of)).get(name) : undefined
