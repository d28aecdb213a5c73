/**
 * Makes `instanceof` know the objects of a class by a mark. A program can hold several copies of this package, the
 * server's own and that of a plugin from elsewhere: what either throws or answers means the same to both. Classes that
 * extend a branded one are told apart as always.
 */
export function brand(type: abstract new (...values: never[]) => object, name: string): void {
  const mark = Symbol.for(`svc.${name}`)
  Object.defineProperty(type.prototype, mark, { value: true })
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== type) return Function.prototype[Symbol.hasInstance].call(this, value)
      return typeof value === 'object' && value !== null && mark in value
    },
  })
}
