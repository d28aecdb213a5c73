import { children, isCrossingName, type Node, partsOf, withSelf } from '@svc/expression/contract'
import type { Definition } from '../definition/schema/definition.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { ResourceDefinition } from '../definition/schema/resource.ts'
import { crossesRecords } from './override.ts'
import { parsedIfSound } from './parsed.ts'

/** Names of fields by which declared formulas find other records, and are found by these in turn, by their resources. */
export function fieldsFoundBy({ resources }: Definition): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const add = (resource: string, field: string) => {
    const own = found.get(resource) ?? new Set<string>()
    found.set(resource, own.add(field))
  }
  for (const [name, definition] of Object.entries(resources)) {
    if (!crossesRecords(definition)) continue
    for (const source of sourcesIn(definition)) {
      const ast = parsedIfSound(source)
      if (ast) collect(ast, name, add)
    }
  }
  return found
}

type Add = (resource: string, field: string) => void

function collect(node: Node, own: string, add: Add): void {
  if (node.kind === 'call' && isCrossingName(node.name)) {
    const [resource, key, , filter] = node.args
    if (node.name === 'lookup' && key?.kind === 'name') add(own, key.name)
    const other = textOf(resource)
    const condition = filter && parsedIfSound(textOf(filter) ?? '')
    if (other !== undefined && condition)
      for (const equality of partsOf(withSelf(condition)).equalities) {
        add(other, equality.field)
        if (equality.own.kind === 'name') add(own, equality.own.name)
      }
  }
  for (const child of children(node)) collect(child, own, add)
}

const textOf = (node: Node | undefined): string | undefined =>
  node?.kind === 'literal' && typeof node.value === 'string' ? node.value : undefined

const sourcesIn = ({ computed = {}, object }: ResourceDefinition): readonly string[] => [
  ...Object.values(computed).map((one) => (typeof one === 'string' ? one : one.expression)),
  ...Object.values(object).flatMap(sourceOf),
]

/** What users add is found without an index, which would hold everybody up as it is made. */
function sourceOf(field: string | FieldDefinition): readonly string[] {
  if (typeof field === 'string' || field.computed === undefined || field['dynamic'] === true) return []
  return [typeof field.computed === 'string' ? field.computed : field.computed.expression]
}
