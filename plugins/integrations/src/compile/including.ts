import {
  type BelongsTo,
  type CompiledValue,
  didYouMean,
  type Path,
  type Resource,
  type Site,
  type Speech,
} from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import { isMap } from '../wire/maps.ts'

/** Compiles the key `include`: the records that `$record` has as whole values, by the names of their relationships. */
export function compileInclude(
  names: readonly string[],
  path: Path,
  site: Site,
  resource: Resource | undefined,
): readonly BelongsTo[] {
  return names.flatMap((name, at) => {
    const place = [...path, at]
    if (resource === undefined) {
      site.problem(place, 'the operation is about no record', "Name its 'resource', or take it away")
      return []
    }
    const found = resource.relationships.get(name)
    if (found?.kind === 'belongsTo') return [found]
    const one = [...resource.relationships.values()].filter(({ kind }) => kind === 'belongsTo')
    const hint = didYouMean(
      name,
      one.map((relationship) => relationship.name),
    )
    if (found === undefined) site.problem(place, `'${resource.name}' has no relationship '${name}'`, hint)
    else site.problem(place, `'${name}' leads to several records`, 'Name a relationship of type belongsTo')
    return []
  })
}

/** The same place, where `$record.customer` is the record that is included under that name, or null. */
export function siteIncluding(site: Site, included: readonly BelongsTo[]): Site {
  if (included.length === 0) return site
  const named = new Map(included.map((one) => [one.name, one]))
  const value: Site['value'] = (written, path, speech) => {
    const whole = typeof written === 'string' ? named.get(wholeNamed(written)) : undefined
    if (whole !== undefined) return wholeOf(whole, path, site, speech)
    if (Array.isArray(written)) {
      const all = written.map((one, at) => value(one, [...path, at], speech))
      return joined(written, all, (values) => values)
    }
    if (!isMap(written)) return site.value(written, path, speech)
    const keys = Object.keys(written)
    const all = keys.map((key) => value(written[key], [...path, key], speech))
    return joined(written, all, (values) =>
      Object.fromEntries(keys.map((key, at) => [key, values[at] ?? null])),
    )
  }
  return { ...site, value }
}

/** What a text names that is a relationship of the record and nothing else, such as `$record.customer` and `$(customer)`. */
function wholeNamed(text: string): string {
  const [, short, long] = /^\$(?:record\.(\w+)|\(\s*(?:\$?record\.)?(\w+)\s*\))$/.exec(text) ?? []
  return short ?? long ?? ''
}

/** What answers show of everybody's account. */
const OF_ACCOUNTS = ['id', 'username']

/** A related record with all its fields that are not hidden; null where there is none. */
function wholeOf(
  { name, target }: BelongsTo,
  path: Path,
  site: Site,
  speech: Speech,
): CompiledValue | undefined {
  const fields = target.kind === 'users' ? OF_ACCOUNTS : shownFields(site.model.resources.get(target.name))
  const there = site.expression(`record.${name} != null`, path, { ...speech, kind: 'boolean' })
  const record = site.value(
    Object.fromEntries(fields.map((field) => [field, `$record.${name}.${field}`])),
    path,
    speech,
  )
  if (there === undefined || record === undefined) return undefined
  return {
    written: `$record.${name}`,
    expressions: [there, ...record.expressions],
    isConstant: false,
    evaluate: (context, shows) => (there.holds(context) ? record.evaluate(context, shows) : null),
  }
}

/** Fields that are neither hidden nor a secret, nor worked out from further records. */
const shownFields = (resource: Resource | undefined): readonly string[] =>
  [...(resource?.fields.values() ?? [])]
    .filter(({ hidden, definition }) => !hidden && definition.type !== 'password')
    .filter(({ computed }) => computed === undefined || computed.expression.reach.size === 0)
    .map(({ name }) => name)

function joined(
  written: unknown,
  all: readonly (CompiledValue | undefined)[],
  of: (values: readonly Value[]) => Value,
): CompiledValue | undefined {
  const known = all.filter((one) => one !== undefined)
  if (known.length < all.length) return undefined
  return {
    written,
    expressions: known.flatMap(({ expressions }) => expressions),
    isConstant: known.every(({ isConstant }) => isConstant),
    evaluate: (context, shows) => of(known.map((one) => one.evaluate(context, shows))),
  }
}
