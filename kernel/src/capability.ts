/** A typed name under which one plugin offers a service to others. `T` exists for the compiler only. */
export interface Capability<T> {
  readonly name: string
  /** Never read at run time: it carries the type. */
  readonly T: T
}

/** Names a service of type `T`. Provider and consumer share the value, so no look-up needs a cast. */
export function capability<T>(name: string): Capability<T> {
  return Object.freeze({ name }) as Capability<T>
}
