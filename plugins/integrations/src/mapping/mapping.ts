import type { CompiledValue, Expression, Path, Site, Speech } from '@svc/domain/contract'
import { type EvaluationContext, parseExpression } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import { isMap } from '../wire/maps.ts'

/** What stands in place of a value that somebody may not see. */
export const MASK = '***'

/** Whether somebody may be told the value of an expression, and what stands in its place: `***` unless said. */
export type Shows = ((expression: Expression) => boolean) & { readonly mask?: string }

/** Values by name, worked out in the order in which they are written. */
export interface Mapping {
  readonly names: readonly string[]
  readonly expressions: readonly Expression[]
  /** The entries that are the same whatever happens. */
  readonly constants: readonly (readonly [string, CompiledValue])[]
  /**
   * An entry that reads what `shows` denies is `***`. Each entry finds those before it as `$mapped`, in front of those of the
   * mapping before this one.
   */
  evaluate(context: EvaluationContext, shows?: Shows): Readonly<Record<string, Value>>
}

/** Compiles a map of values; undefined where something is wrong, which is reported. */
export function compileMapping(
  written: Readonly<Record<string, unknown>>,
  path: Path,
  site: Site,
  speech: Speech,
): Mapping | undefined {
  const entries = Object.entries(written).flatMap(([name, one]) => {
    const value = compileEntry(one, [...path, name], site, speech)
    return value ? [[name, value] as const] : []
  })
  if (entries.length < Object.keys(written).length) return undefined
  return {
    names: entries.map(([name]) => name),
    expressions: entries.flatMap(([, { expressions }]) => expressions),
    constants: entries.filter(([, { isConstant }]) => isConstant),
    evaluate(context, shows) {
      const before: Value = context.variables?.['mapped'] ?? null
      let made: Readonly<Record<string, Value>> = {}
      for (const [name, value] of entries) {
        const mapped = before === null || isMap(before) ? { ...before, ...made } : before
        const variables = { ...context.variables, mapped }
        made = { ...made, [name]: shown(value, { ...context, variables }, shows) }
      }
      return made
    },
  }
}

/** Compiles one value: as everywhere, and a text that is one call of a function is that call. */
export function compileEntry(
  written: unknown,
  path: Path,
  site: Site,
  speech: Speech,
): CompiledValue | undefined {
  warnOfOperators(written, path, site, speech)
  return site.value(withCalls(written), path, speech)
}

/** A value; one that is made of what `shows` denies is `***`. */
export const shown = (
  { expressions, evaluate }: CompiledValue,
  context: EvaluationContext,
  shows: Shows = () => true,
): Value => (expressions.every((one) => shows(one)) ? evaluate(context) : (shows.mask ?? MASK))

/** Whether something is done, as far as somebody may be told: what it is kept from may be done. */
export const mayHold = (
  when: Expression | undefined,
  context: EvaluationContext,
  shows: Shows = () => true,
): boolean => when === undefined || !shows(when) || when.holds(context)

const CALL = /^[A-Za-z_]\w*\(.*\)$/s

function withCalls(written: unknown): unknown {
  if (typeof written === 'string')
    return CALL.test(written) && kindOf(written) === 'call' ? `$(${written})` : written
  if (Array.isArray(written)) return written.map(withCalls)
  if (!isMap(written)) return written
  return Object.fromEntries(Object.entries(written).map(([name, one]) => [name, withCalls(one)]))
}

/** A sum of fields without a `$` is a text like any other, and was hardly meant as one. */
function warnOfOperators(written: unknown, path: Path, site: Site, { resource }: Speech): void {
  if (typeof written !== 'string' || written.includes('$') || written.includes('{')) return
  const [, left = '', right = ''] = /^\s*(\w+)\s*[-+*/%]\s*(\w+)\s*$/.exec(written) ?? []
  if (resource?.fields.has(left) && resource.fields.has(right))
    site.warning(path, 'is sent as this very text', `To work it out, write $(${written.trim()})`)
}

function kindOf(source: string): string | undefined {
  try {
    return parseExpression(source).kind
  } catch {
    return undefined
  }
}
