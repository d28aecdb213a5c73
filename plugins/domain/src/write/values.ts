import type { Value } from '@svc/store/contract'

/** Values by the names of fields, of which nothing is there but what was put there. */
export type Values = Record<string, Value>

/**
 * Empty values. They inherit nothing, so that a field may be called as a member of every object is: `valueOf` is absent
 * until it is given a value. A class, since objects that are made without a prototype are slow.
 */
class NoValues {
  [name: string]: Value
}
Reflect.deleteProperty(NoValues.prototype, 'constructor')
Object.setPrototypeOf(NoValues.prototype, null)

/** Makes values: empty ones, or a copy. */
export const valuesOf = (given: Readonly<Values> = {}): Values => Object.assign(new NoValues(), given)

/** What `given` itself says of a name; undefined where it says nothing. */
export const ownValue = <T>(given: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(given, name) ? given[name] : undefined
