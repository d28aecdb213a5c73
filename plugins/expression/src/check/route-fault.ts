import { errorAt, type Fault } from '../fault.ts'
import { LIMITS } from '../limits.ts'
import { endOf, type Route } from '../route.ts'

/** What is wrong with a way that stands where one record is meant: a list on it, or at its end. */
export function listFault(offset: number, route: Route, field?: string): Fault | undefined {
  const { steps } = route
  const list = steps.find(({ many }) => many)
  if (list === undefined) return undefined
  const message = `'${list.name}' is a list of records`
  const rest = steps.slice(steps.indexOf(list) + 1).map(({ name }) => name)
  if (rest.length > 0)
    return errorAt(
      offset,
      `${message}, and '${rest[0]}' is asked of each`,
      `use a function of lists, as in count(${list.name}, ${rest.join('.')} != null)`,
    )
  const example =
    field === undefined
      ? `count(${list.name})`
      : `first(${list.name}.${field}) or any(${list.name}, ${field} == …)`
  return errorAt(offset, message, `use a function of lists, as in ${example}`)
}

/** What is wrong with a related record that stands for a value. */
export function wholeFault(offset: number, route: Route): Fault {
  const { name, vocabulary } = endOf(route)
  const [field = 'id'] = vocabulary.fields?.keys() ?? []
  return errorAt(
    offset,
    `'${name}' cannot be taken as a whole`,
    `name one of its fields, as in ${name}.${field}`,
  )
}

/** What is wrong with a way of so many steps. */
export function lengthFault(offset: number, steps: number): Fault | undefined {
  if (steps <= LIMITS.steps) return undefined
  return errorAt(
    offset,
    `this goes ${steps} steps from the record, and ${LIMITS.steps} is the most`,
    'let a resource on the way work it out, or keep a copy',
  )
}

/** What is wrong with the term of this number; told once. */
export function termsFault(offset: number, terms: number): Fault | undefined {
  if (terms !== LIMITS.reaching + 1) return undefined
  return errorAt(
    offset,
    `an expression reaches other records ${LIMITS.reaching} times at most`,
    'work some of it out in a computed field, or split it',
  )
}
