/**
 * What all copies of a module have in common. A program can hold several copies of a contract, the server's own and those of
 * plugins from elsewhere: what one function notes about an object, for another function to find, is noted by one copy and
 * looked for by another. The first copy that asks makes it; `name` is that of the package and of what it holds, such as
 * `domain.siblings`. What a function only remembers for itself, and can work out anew, needs none of this.
 */
export function shared<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`svc.shared.${name}`)
  const known: unknown = Reflect.get(globalThis, key)
  // By its name it is what another copy of the same line has made.
  if (known !== undefined) return known as T
  const made = make()
  Object.defineProperty(globalThis, key, { value: made })
  return made
}
