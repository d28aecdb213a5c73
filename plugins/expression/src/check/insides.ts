import type { Index, Member, Node } from '../syntax/ast.ts'
import { errorAt, type Fault } from '../fault.ts'
import { type Kind, type Known, type Origin, plainKind, type Shape, shapeIn } from '../values/kind.ts'
import { meantMember } from './meant.ts'

/** What an expression takes out of values of which it is known what is inside. */
export class Insides {
  /** The names that are read of each source. */
  readonly members = new Map<object, Set<string>>()
  /** What values are made of that are known no further. */
  readonly origins: Origin[] = []
  readonly #shapes = new Map<Node, Shape>()
  readonly #faults: Fault[]

  /** What is wrong is added to `faults`. */
  constructor(faults: Fault[]) {
    this.#faults = faults
  }

  of(node: Node): Shape | undefined {
    return this.#shapes.get(node)
  }

  /** Keeps what is known of the inside of a node's value, for whoever takes a part of it. */
  keep(node: Node, known: Known): Kind {
    const shape = shapeIn(known)
    if (shape?.kind === 'unknown') this.origins.push(...shape.of)
    else if (shape) this.#shapes.set(node, shape)
    return plainKind(known)
  }

  /** Takes note of a member that is read. */
  take(source: object | undefined, name: string): void {
    if (source) this.members.set(source, (this.members.get(source) ?? new Set<string>()).add(name))
  }

  /** A part of a value of this shape; a name that is taken of a list is taken of its items. */
  part(node: Member | Index, shape: Shape, name: string | undefined): Kind {
    if (shape.kind === 'list') {
      if (name === undefined) return this.keep(node, shape.items)
      const items = shapeIn(shape.items)
      if (items) this.part(node, items, name)
      this.#shapes.delete(node)
      return 'list'
    }
    if (shape.kind === 'unknown') return this.keep(node, shape)
    if (name === undefined) return 'unknown'
    const { members, source } = shape
    const known = members.get(name)
    if (known === undefined) {
      this.#faults.push(
        errorAt(node.offset, `there is no '${name}' in here`, meantMember(name, members.keys())),
      )
      return 'unknown'
    }
    this.take(source, name)
    return this.keep(node, known)
  }
}
