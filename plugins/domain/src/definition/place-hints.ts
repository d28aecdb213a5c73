import { isList, isMap, type Node } from './document.ts'
import type { Path } from './problem.ts'

/** What would be right in a place where something else is often written; `holder` is the map that a missing key is missing in. */
export function placeHint(path: Path, value: Node | undefined, holder: Node | undefined): string | undefined {
  const [, section, name, key, ...further] = path
  if (section !== 'enums' || name === undefined || further.length > 0) return undefined
  if (key === undefined && isList(value)) return `Write { values: [${listed(value)}] }`
  const isBare = isMap(holder) && !['label', 'description'].some((one) => Object.hasOwn(holder, one))
  if (key === 'values' && value === undefined && isBare && Object.keys(holder).length > 0)
    return `Write { values: { ${Object.keys(holder)[0]}: … } }`
  return undefined
}

/** How long the part of a list is that a hint repeats. */
const MAX_LISTED = 60

function listed(values: readonly Node[]): string {
  const text = values.filter((one) => typeof one === 'string' || typeof one === 'number').join(', ')
  return text.length > MAX_LISTED ? `${text.slice(0, MAX_LISTED)}…` : text
}
