import type { Value } from '@svc/store/contract'

const PLACEHOLDER = /\{([A-Za-z_][\w.]*)\}/g

/** The names that stand in braces in a text. */
export const placeholdersOf = (template: string): readonly string[] =>
  [...template.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])

/** The text with each `{name}` replaced by its value; what has none becomes nothing. */
export const render = (template: string, values: Readonly<Record<string, Value>>): string =>
  template.replace(PLACEHOLDER, (_, name: string) =>
    Object.hasOwn(values, name) ? textOf(values[name] ?? null) : '',
  )

function textOf(value: Value): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
