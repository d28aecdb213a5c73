import {
  didYouMean,
  type Path,
  type Resource,
  sentenceOf,
  type Site,
  type Speech,
} from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { foundBy } from '../mapping/found.ts'
import { compileEntry, compileMapping, type Mapping } from '../mapping/mapping.ts'
import type { WriteDefinition, WritesDefinition } from '../definition/write.ts'
import { applyWrite, prepareAll, previewWrite, together } from './apply.ts'
import type { Write } from './write.ts'
import type { Writing } from './writing.ts'

/** What is particular about the place of writes. */
export interface WritePlace {
  readonly site: Site
  readonly path: Path
  /** What its mappings may name; the resource of the operation among it. */
  readonly speech: Speech
}

/** Compiles the key `write`; undefined where nothing is written, or something is wrong, which is reported. */
export function compileWrites(written: WritesDefinition | undefined, place: WritePlace): Writing | undefined {
  if (written === undefined) return undefined
  const isList = Array.isArray(written)
  const listed = [written].flat()
  const all = listed.flatMap(
    (one, at) => compileWrite(one, isList ? { ...place, path: [...place.path, at] } : place) ?? [],
  )
  if (all.length < listed.length) return undefined
  const expressions = all.flatMap(({ mapping, when, forEach }) => [
    ...mapping.expressions,
    ...(when ? [when] : []),
    ...(forEach?.expressions ?? []),
  ])
  return {
    expressions,
    isFinding: expressions.some((one) => foundBy(one, place.site.model).size > 0),
    resources: new Set(all.map(({ resource }) => resource)),
    prepare: (context, finds) => prepareAll(all, context, finds),
    async apply(context, finds, writes, as) {
      const applied = []
      for (const one of all) applied.push(await applyWrite(one, context, finds, writes, as))
      return together(applied)
    },
    preview: (context, finds, shows) =>
      finds.work(context, (found) => all.flatMap((one) => previewWrite(one, found, shows))),
  }
}

function compileWrite(
  written: WriteDefinition,
  { site, path, speech: around }: WritePlace,
): Write | undefined {
  const resource = resourceOf(written.resource, path, site, around.resource)
  if (resource === undefined) return undefined
  const isOfRecord = around.resource === resource
  const { match: matched = [], transition, required = [], skipNull = false } = written
  const listed = typeof matched === 'string' ? [matched] : matched
  const action =
    written.action ??
    (transition !== undefined
      ? 'transition'
      : listed.length > 0
        ? 'upsert'
        : isOfRecord
          ? 'update'
          : 'create')
  const variables = new Map([...(around.variables ?? []), ['item', 'unknown' as const]])
  const speech: Speech = written.forEach === undefined ? around : { ...around, variables }
  const when =
    written.when === undefined
      ? undefined
      : site.expression(written.when, [...path, 'when'], { ...speech, kind: 'boolean' })
  const forEach =
    written.forEach === undefined
      ? undefined
      : compileEntry(written.forEach, [...path, 'forEach'], site, around)
  const mapping = compileMapping(written.mapping ?? {}, [...path, 'mapping'], site, speech)
  const isSound = [
    checkFields(written.mapping ?? {}, mapping, resource, [...path, 'mapping'], site),
    checkMatch(listed, action, written, resource, isOfRecord, path, site),
    checkTransition(transition, action, resource, path, site),
    ...required.map((name, at) => {
      if (Object.hasOwn(written.mapping ?? {}, name)) return true
      site.problem([...path, 'required', at], `'mapping' has no '${name}'`, 'Map it, or take it away')
      return false
    }),
  ]
  const isMissing =
    (written.when !== undefined && when === undefined) ||
    (written.forEach !== undefined && forEach === undefined)
  if (mapping === undefined || isMissing || !isSound.every(Boolean)) return undefined
  const match = listed.flatMap((name) => resource.fields.get(name) ?? [])
  return { resource, action, match, mapping, required, skipsNull: skipNull, transition, when, forEach }
}

function resourceOf(
  name: string | undefined,
  path: Path,
  site: Site,
  usual: Resource | undefined,
): Resource | undefined {
  if (name === undefined) {
    if (usual === undefined)
      site.problem([...path, 'resource'], 'is missing', 'Name the resource whose records are written')
    return usual
  }
  const found = site.model.resources.get(name)
  if (found === undefined)
    site.problem(
      [...path, 'resource'],
      `there is no resource '${name}'`,
      didYouMean(name, site.model.resources.keys()),
    )
  return found
}

/** What a literal is evaluated with: it asks for nothing. */
const NOTHING: EvaluationContext = Object.freeze({ now: () => 0 })

/** Reports fields that cannot be written, and literals that do not fit theirs. */
function checkFields(
  written: Readonly<Record<string, unknown>>,
  mapping: Mapping | undefined,
  { name: of, fields }: Resource,
  path: Path,
  site: Site,
): boolean {
  let isSound = mapping !== undefined
  for (const name of Object.keys(written)) {
    const field = fields.get(name)
    if (field !== undefined && field.computed === undefined) continue
    isSound = false
    if (field === undefined)
      site.problem([...path, name], `'${of}' has no field '${name}'`, didYouMean(name, fields.keys()))
    else
      site.problem(
        [...path, name],
        `'${name}' is worked out by the service: nothing else sets it`,
        'Take it away',
      )
  }
  for (const [name, value] of mapping?.constants ?? []) {
    const field = fields.get(name)
    const literal = value.evaluate(NOTHING)
    if (field === undefined || literal === null) continue
    const checked = field.compiled.check(literal)
    if ('value' in checked) continue
    isSound = false
    for (const { path: _, ...fault } of checked.faults)
      site.problem([...path, name], `the value does not fit '${name}': ${sentenceOf(fault)}`)
  }
  return isSound
}

function checkMatch(
  names: readonly string[],
  action: Write['action'],
  { mapping = {} }: WriteDefinition,
  resource: Resource,
  isOfRecord: boolean,
  path: Path,
  site: Site,
): boolean {
  const at = [...path, 'match']
  const refuse = (message: string, hint?: string) => {
    site.problem(at, message, hint)
    return false
  }
  if (names.length === 0) {
    if (action === 'upsert') return refuse('is missing', 'Name the fields that say which record is meant')
    if (action !== 'create' && !isOfRecord)
      return refuse('is missing', `Name the fields by which the record of '${resource.name}' is found`)
    return true
  }
  if (action === 'create') return refuse("means nothing with 'action: create'", "Write 'action: upsert'")
  for (const name of names) {
    const field = resource.fields.get(name)
    if (field?.column === undefined)
      return refuse(`'${resource.name}' stores no field '${name}'`, didYouMean(name, resource.fields.keys()))
    if (field.column.kind === 'json' || field.column.codec !== undefined)
      return refuse(`records are not found by '${name}'`, 'Name a field that can be compared')
    if (!Object.hasOwn(mapping, name)) return refuse(`'mapping' has no '${name}'`, 'Map it too')
  }
  const isUnique =
    names.some((name) => {
      const field = resource.fields.get(name)
      return field?.unique === true || field?.primaryKey === true
    }) ||
    resource.table.indexes.some(
      ({ unique, columns, where }) =>
        unique &&
        // Deleted records are never found.
        (where === undefined || (where.op === 'null' && where.column.name === 'deletedAt')) &&
        columns.every((column) => names.includes(column.name)),
    )
  return action !== 'upsert' || isUnique
    ? true
    : refuse(`no two records of '${resource.name}' may be alike in these`, 'Name a unique field')
}

function checkTransition(
  name: string | undefined,
  action: Write['action'],
  { name: of, stateMachine }: Resource,
  path: Path,
  site: Site,
): boolean {
  const at = [...path, 'transition']
  if (action !== 'transition') {
    if (name !== undefined) site.problem(at, `means nothing with 'action: ${action}'`, 'Take it away')
    return name === undefined
  }
  const known = stateMachine?.transitions ?? []
  if (name !== undefined && known.includes(name)) return true
  if (name === undefined) site.problem(at, 'is missing', 'Name the transition')
  else site.problem(at, `'${of}' has no transition '${name}'`, didYouMean(name, known))
  return false
}
