import {
  type ActionDefinition,
  type ActionPlace,
  assertNotPassedOver,
  type Performer,
  type Performing,
} from '@svc/automation/contract'
import {
  type CompiledValue,
  evaluationOfFacts,
  type Expression,
  type Model,
  type Resource,
} from '@svc/domain/contract'
import { errors, nearest, SYSTEM } from '@svc/kernel'
import type { Condition, Row, Value } from '@svc/store/contract'
import { compileGiven } from './compile/given.ts'
import { readParameters, refuseFaults } from './compile/parameters.ts'
import type { Template } from './compile/template.ts'
import { promise } from './promises/promise.ts'
import type { Means } from './means.ts'

type Known = (model: Model) => ReadonlyMap<string, Template>

/**
 * How `action: template` is done: the document of `target` is promised in the transaction of the action, for the record as it is
 * then, and `input` gives the parameters. What would refuse somebody who asks by hand fails the action.
 */
export const templatePerformer = (means: Means, known: Known): Performer => ({
  compile(written, place) {
    const template = templateNamed(written.target ?? '', known(place.site.model), place)
    if (template === undefined) return undefined
    const { site } = place
    const input = compileGiven(written.input ?? {}, template, place)
    const about = recordMeant(written, template, place)
    if (input === undefined || about === undefined) return undefined
    return {
      expressions: [...input.expressions, ...about.expressions],
      async perform(performing) {
        const { writes, context, depth, source } = performing
        const now = () => means.env.now()
        const { values, faults } = readParameters(input.evaluate(context), template.parameters, SYSTEM, now)
        refuseFaults(faults)
        const record = await about.record(performing)
        const of = template.data.resource
        if (of && record) await assertNotPassedOver(of, record[of.key.name] ?? null, writes)
        await assertCondition(template, record, performing, now)
        const { resource } = template.data
        const documentId = await promise(
          writes,
          site.model,
          {
            template: template.name,
            resource: resource?.name ?? null,
            recordId: resource && record ? String(record[resource.key.name]) : null,
            record: record ?? null,
            parameters: values,
            trigger: `${source.kind}:${source.name}`,
            depth,
          },
          means,
        )
        return { documentId }
      },
    }
  },
})

function templateNamed(
  target: string,
  known: ReadonlyMap<string, Template>,
  { site, path }: ActionPlace,
): Template | undefined {
  const template = known.get(target)
  if (template !== undefined) return template
  const meant = nearest(target, known.keys())
  site.problem([...path, 'target'], `there is no template '${target}'`, meant && `Did you mean '${meant}'?`)
  return undefined
}

/** The record that a document is about. */
interface Meant {
  readonly expressions: readonly Expression[]
  /** As it is stored. Throws NOT_FOUND. */
  record(performing: Performing): Promise<Row | undefined>
}

function recordMeant(
  { recordId }: ActionDefinition,
  { name, data: { resource } }: Template,
  { site, path, speech, resource: atHand }: ActionPlace,
): Meant | undefined {
  if (resource === undefined) {
    if (recordId === undefined) return { expressions: [], record: async () => undefined }
    site.problem([...path, 'recordId'], `'${name}' is about no record`, 'Take it away')
    return undefined
  }
  if (recordId === undefined && resource === atHand)
    return { expressions: [], record: ({ key, writes }) => recordOf(resource, key ?? null, writes) }
  if (recordId === undefined) {
    const hint = `Name a record of '${resource.name}' by 'recordId'`
    site.problem(
      [...path, 'target'],
      `'${name}' is about records of '${resource.name}', and none is at hand`,
      hint,
    )
    return undefined
  }
  const value: CompiledValue | undefined = site.value(recordId, [...path, 'recordId'], speech)
  return (
    value && {
      expressions: value.expressions,
      record: ({ context, writes }) => recordOf(resource, value.evaluate(context), writes),
    }
  )
}

async function recordOf(resource: Resource, id: Value, writes: Performing['writes']): Promise<Row> {
  const { key, features, fields, table } = resource
  const read = typeof id === 'string' ? key.compiled.parseText(id) : id
  const deletedAt = features.softDelete ? fields.get('deletedAt')?.column : undefined
  const of: readonly Condition[] = [
    ...(read === null || read === undefined || typeof read === 'object'
      ? [{ op: 'never' } as const]
      : [{ op: 'eq', column: key.column!, value: read } as const]),
    ...(deletedAt ? [{ op: 'null', column: deletedAt } as const] : []),
  ]
  const columns = [...fields.values()].flatMap(({ column }) => column ?? [])
  const [row] = await writes.select({ table, columns, where: { op: 'and', of }, order: [], lock: 'shared' })
  if (row === undefined) throw errors.NOT_FOUND({ message: `There is no such ${resource.name}` })
  return row
}

async function assertCondition(
  { name, condition, data: { resource } }: Template,
  record: Row | undefined,
  { writes }: Performing,
  now: () => number,
): Promise<void> {
  if (condition === undefined) return
  const facts = { resource, record, user: SYSTEM, now }
  if (condition.holds(await evaluationOfFacts(facts, [condition], writes))) return
  throw errors.CONFLICT({ message: `The condition of the template '${name}' does not hold for this record` })
}
