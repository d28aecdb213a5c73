import { brand } from '@svc/kernel'
import type { Path } from '../definition/problem.ts'

/** An attribute of a field that makes no sense; its path starts at the field. */
export class FieldTypeError extends Error {
  static {
    brand(this, 'FieldTypeError')
  }

  override readonly name = 'FieldTypeError'
  readonly path: Path
  /** What to do about it, as a sentence. */
  readonly hint: string | undefined
  /** Everything that was found together, each as an error of its own. */
  readonly all: readonly FieldTypeError[]

  constructor(attribute: string | Path, message: string, hint?: string, all?: readonly FieldTypeError[]) {
    super(message)
    this.path = typeof attribute === 'string' ? [attribute] : attribute
    this.hint = hint
    this.all = all ?? [this]
  }
}

/** Runs every step, so that all misuses of a field are told at once; answers what the steps made. */
export function together<T>(steps: readonly (() => T)[]): readonly T[] {
  const found: FieldTypeError[] = []
  const made = steps.map((step) => attempt(step, found))
  throwAll(found)
  return made.map((one) => one!.value)
}

/** Runs two steps of different kinds together. */
export function both<A, B>(one: () => A, other: () => B): readonly [A, B] {
  const found: FieldTypeError[] = []
  const [a, b] = [attempt(one, found), attempt(other, found)]
  throwAll(found)
  return [a!.value, b!.value]
}

/** Runs `work` for a part of a field: what it throws is told at `prefix`, which may depend on what it is about. */
export function within<T>(prefix: Path | ((path: Path) => Path), work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error
    const whole = (path: Path) => [...(typeof prefix === 'function' ? prefix(path) : prefix), ...path]
    throwAll(error.all.map(({ path, message, hint }) => new FieldTypeError(whole(path), message, hint)))
    throw error
  }
}

/** Throws what was found as one error; nothing where nothing was found. */
export function throwAll(found: readonly FieldTypeError[]): void {
  const [first] = found
  if (first) throw new FieldTypeError(first.path, first.message, first.hint, found)
}

function attempt<T>(step: () => T, found: FieldTypeError[]): { readonly value: T } | undefined {
  try {
    return { value: step() }
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error
    found.push(...error.all)
    return undefined
  }
}
