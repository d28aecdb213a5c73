import { type Expression, type Formats, formatsOf as defaultFormats } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { resourceOf } from '../model/record-shape.ts'
import type { Locale, WrittenFormats } from '../speech/speech.ts'

/** Formats, and what the domain said of them when they were made. */
interface Made {
  readonly formats: Formats
  readonly said: WrittenFormats | undefined
}

const known = new WeakMap<Model, Map<string, Made>>()

/** How values are written in a domain for readers of a locale. */
export function formatsOf(model: Model, locale: Locale): Formats {
  const byLocale = known.get(model) ?? new Map<string, Made>()
  const said = model.localizer.formats?.(locale)
  const found = byLocale.get(locale.localeResolved)
  if (found && found.said === said) return found.formats
  const { config = {} } = model.definition
  const formats = {
    ...defaultFormats({
      locale: locale.localeResolved,
      timezone: textOf(config['timezone']),
      currency: textOf(config['currency']),
    }),
    ...said,
  }
  known.set(model, byLocale.set(locale.localeResolved, { formats, said }))
  return formats
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The same with the labels of enumerations, for expressions over records of a resource. */
export function labelledFormats(model: Model, locale: Locale, resource: Resource | undefined): Formats {
  const labelOf = (of: Expression, value: Value): string | undefined => {
    const values = fieldOf(of, resource)?.labels?.values
    const label = (one: Value) => model.localizer.text(values?.get(String(one))?.label, locale)
    if (values === undefined || !Array.isArray(value)) return values && label(value)
    return value.map((one: Value) => label(one) ?? String(one)).join(', ')
  }
  return { ...formatsOf(model, locale), labelOf }
}

/** The field whose value an expression is; undefined where it is worked out. */
function fieldOf(
  { ast, fields, members, reach }: Expression,
  resource: Resource | undefined,
): Field | undefined {
  if (ast.kind !== 'name' && ast.kind !== 'member') return undefined
  const [[source, names] = [undefined, undefined]] = members
  if (names !== undefined)
    return names.size === 1 ? resourceOf(source)?.fields.get([...names][0] ?? '') : undefined
  return fields.size === 1 && reach.size === 0 ? resource?.fields.get([...fields][0] ?? '') : undefined
}
