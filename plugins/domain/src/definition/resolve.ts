import type { Variables } from '@svc/kernel'
import { Cursor } from './cursor.ts'
import {
  entriesOf,
  type Entry,
  isList,
  isMap,
  listLike,
  type ListNode,
  mapOf,
  type MapNode,
  type Node,
  type Place,
  placeOf,
  UNRESOLVED,
} from './document.ts'
import type { Findings } from './findings.ts'
import { Budget, MAX_DEPTH, TOO_DEEP, TOO_LARGE, VALUE_WEIGHT } from './limits.ts'
import { isField, isGroup } from './path.ts'
import { type Reference, referenceText } from './reference.ts'
import type { FileLookup } from './referenced-files.ts'
import { Targets } from './targets.ts'

/**
 * A copy of a document without directives.
 *
 * `$ref` stands for what it points at; keys beside it count over keys of what it points at. `$merge` brings the
 * fields of groups into an `object` or a group: they come first, in the order of the list; of equal names the
 * last counts, and a field of the object itself counts over all, in the place of the one that it replaces.
 * Where a name belongs, as in `target` or `enum`, a reference stands for the name; in place of a field a
 * reference to an enumeration stands for a text field of that enumeration.
 */
export function resolveDirectives(
  document: MapNode,
  file: FileLookup,
  variables: Variables,
  findings: Findings,
): MapNode {
  const cursor = new Cursor(findings)
  return new Resolver(cursor, new Targets(document, file, variables, findings, cursor)).map(document)
}

const MISPLACED_INCLUDE = '$include stands at the top of a file or under domain'
const MISPLACED_MERGE = "$merge stands in a resource's object, or in one of objects"

/** What a reference resolved to, with what each use of it costs. */
interface Resolved {
  readonly node: Node
  readonly weight: number
  readonly height: number
}

class Resolver {
  readonly #cursor: Cursor
  readonly #targets: Targets
  readonly #budget = new Budget()
  /** By the content that was resolved: what many references point at is resolved once. */
  readonly #resolved = new Map<Node, Resolved>()
  /** References that are being followed, each written in what the one before points at. */
  readonly #following: { readonly content: Node; readonly text: string }[] = []
  #depth = 0
  #deepest = 0

  constructor(cursor: Cursor, targets: Targets) {
    this.#cursor = cursor
    this.#targets = targets
  }

  map(map: MapNode): MapNode {
    const own: Entry[] = []
    let merged: readonly Entry[] = []
    for (const [key, value, place] of entriesOf(map)) {
      this.#spend(1 + key.length)
      if (key === '$merge') merged = this.#cursor.within(key, place, () => this.#merged(value))
      else if (key === '$include') this.#cursor.within(key, place, () => this.#refuse(MISPLACED_INCLUDE))
      else own.push([key, this.#entry(key, value, place), place])
    }
    return mapOf([...merged, ...own])
  }

  #node(node: Node): Node {
    if (node === UNRESOLVED || (!isList(node) && !isMap(node))) {
      this.#spend(VALUE_WEIGHT + (typeof node === 'string' ? node.length : 0))
      return node
    }
    this.#spend(VALUE_WEIGHT)
    this.#reach(++this.#depth)
    const copy = isList(node) ? this.#list(node) : this.#mapOrReference(node)
    this.#depth--
    return copy
  }

  #list(list: ListNode): Node {
    const items = list.map((item, index) => this.#entry(index, item, placeOf(list, index)))
    return listLike(list, items)
  }

  #mapOrReference(map: MapNode): Node {
    return Object.hasOwn(map, '$ref') ? this.#reference(map) : this.map(map)
  }

  #entry(step: string | number, value: Node, place: Place | undefined): Node {
    return this.#cursor.within(step, place, () => this.#node(value))
  }

  /** The fields that `$merge` brings. */
  #merged(groups: Node): readonly Entry[] {
    if (!isGroup(this.#cursor.path.slice(0, -1))) return entriesOf(this.#refuse(MISPLACED_MERGE))
    const resolved = isList(groups)
      ? groups.map((group, index) =>
          this.#cursor.within(index, placeOf(groups, index), () => this.#group(group)),
        )
      : [this.#group(groups)]
    return resolved.flatMap((group) => (isMap(group) ? entriesOf(group) : []))
  }

  #group(group: Node): Node {
    if (typeof group === 'string') return this.#follow(group)
    if (isMap(group) && Object.hasOwn(group, '$ref')) return this.#reference(group)
    return this.#refuse('takes a reference, or a list of them', "Write '#/objects/<name>'")
  }

  #reference(map: MapNode): Node {
    const beside = mapOf(entriesOf(map).filter(([key]) => key !== '$ref'))
    const place = placeOf(map, '$ref')
    const target = this.#cursor.within('$ref', place, () => this.#follow(map['$ref']))
    if (target === UNRESOLVED || Object.keys(beside).length === 0) return target
    const own = this.map(beside)
    if (isMap(target)) return mapOf([...entriesOf(target), ...entriesOf(own)])
    if (typeof target === 'string' && isField(this.#cursor.path))
      return mapOf([['type', target, place], ...entriesOf(own)])
    return this.#refuse('The reference points at no map: no key can stand beside it')
  }

  /** What a reference stands for; the cursor stands at the directive. */
  #follow(written: Node | undefined): Node {
    const target = this.#targets.find(written)
    if (!target) return UNRESOLVED
    return 'value' in target ? target.value : this.#resolveOnce(target.reference, target.content)
  }

  #resolveOnce(reference: Reference, content: Node): Node {
    const known = this.#resolved.get(content)
    if (known) return this.#share(known)
    const text = referenceText(reference)
    const start = this.#following.findIndex((one) => one.content === content)
    if (start >= 0) {
      const chain = [...this.#following.slice(start).map((one) => one.text), text]
      return this.#refuse(`The references lead in a circle: ${chain.join(' -> ')}`)
    }
    this.#following.push({ content, text })
    const path = ['domain', ...reference.keys]
    const resolved = this.#measured(() => this.#cursor.elsewhere(path, () => this.#node(content)))
    this.#following.pop()
    this.#resolved.set(content, resolved)
    return resolved.node
  }

  /** Uses what was resolved before once more. */
  #share({ node, weight, height }: Resolved): Node {
    this.#spend(weight)
    this.#reach(this.#depth + height)
    return node
  }

  /** Resolves, and says what that cost. */
  #measured(resolve: () => Node): Resolved {
    const [spent, deepest] = [this.#budget.spent, this.#deepest]
    this.#deepest = this.#depth
    const node = resolve()
    const resolved = { node, weight: this.#budget.spent - spent, height: this.#deepest - this.#depth }
    this.#deepest = Math.max(deepest, this.#deepest)
    return resolved
  }

  #refuse(message: string, hint?: string): MapNode {
    this.#cursor.report(message, hint)
    return UNRESOLVED
  }

  #spend(weight: number): void {
    if (!this.#budget.spend(weight)) throw this.#cursor.fatal(TOO_LARGE)
  }

  #reach(depth: number): void {
    if (depth > MAX_DEPTH) throw this.#cursor.fatal(TOO_DEEP)
    this.#deepest = Math.max(this.#deepest, depth)
  }
}
