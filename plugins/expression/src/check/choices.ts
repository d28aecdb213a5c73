import { nearest } from '@svc/kernel'
import { didYouMean, type Fault, warningAt } from '../fault.ts'
import { isRecordRoot, memberName, resolve, rootOf } from '../names.ts'
import { endOf, fieldRouteOf } from '../route.ts'
import type { Binary, Node } from '../syntax/ast.ts'
import type { Vocabulary } from '../vocabulary.ts'

/** A field that holds one of a few texts. */
export interface Choice {
  readonly field: string
  readonly values: ReadonlySet<string>
}

/** What is wrong with a comparison of a field that holds one of a few texts: the others never are its value. */
export function choiceFaults({ operator, left, right }: Binary, vocabulary: Vocabulary): readonly Fault[] {
  if (operator === '==' || operator === '!=')
    return [...faultsOf(left, [right], vocabulary), ...faultsOf(right, [left], vocabulary)]
  if (operator !== 'in' && operator !== 'not in') return []
  return right.kind === 'list' ? faultsOf(left, right.items, vocabulary) : []
}

function faultsOf(node: Node, beside: readonly Node[], vocabulary: Vocabulary): readonly Fault[] {
  const written = beside
    .filter((one) => one.kind === 'literal')
    .filter(({ value }) => typeof value === 'string')
  const choice = written.length > 0 ? choiceOf(node, vocabulary) : undefined
  if (choice === undefined) return []
  return written.flatMap(({ value, offset }) => choiceFault(String(value), offset, choice) ?? [])
}

/** What is wrong with a text that a field is compared with; undefined where the field may hold it. */
export function choiceFault(text: string, offset: number, { field, values }: Choice): Fault | undefined {
  if (values.has(text)) return undefined
  const hint = didYouMean(nearest(text, values)) ?? `it is one of ${shown(values)}`
  return warningAt(offset, `'${text}' is no value of '${field}'`, hint)
}

/** How many values a hint names. */
const MAX_SHOWN = 10

function shown(values: ReadonlySet<string>): string {
  const all = [...values]
  return all.length > MAX_SHOWN ? `${all.slice(0, MAX_SHOWN).join(', ')} …` : all.join(', ')
}

/** The field that a node takes, where it holds one of a few texts. */
function choiceOf(node: Node, vocabulary: Vocabulary): Choice | undefined {
  if (node.kind === 'name')
    return resolve(node, vocabulary)?.of === 'field' ? choiceIn(vocabulary, node.name) : undefined
  if (node.kind !== 'member' && node.kind !== 'index') return undefined
  const root = rootOf(node.of)
  if (root !== undefined) return isRecordRoot(root) ? choiceIn(vocabulary, memberName(node)) : undefined
  const related = fieldRouteOf(node, vocabulary)
  return related && choiceIn(endOf(related.route).vocabulary, related.field)
}

function choiceIn({ choices }: Vocabulary, field: string | undefined): Choice | undefined {
  const values = field === undefined ? undefined : choices?.get(field)
  return field !== undefined && values ? { field, values } : undefined
}
