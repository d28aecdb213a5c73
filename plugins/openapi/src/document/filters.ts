import type { Field, Filter as OwnFilter, Operator, Resource } from '@svc/domain/contract'
import type { Entry } from './catalog.ts'
import { isShown, valueSchema } from './field-schema.ts'
import { type Parameter, type Reference, refer, type Schema } from './parts.ts'

/** The filter parameters of one resource by the names of their components. */
export const filterParameters = (entry: Entry): Readonly<Record<string, Parameter>> =>
  Object.fromEntries(filtersOf(entry).map(({ component, parameter }) => [component, parameter]))

/** References to all filter parameters of a resource. */
export const filterReferences = (entry: Entry): readonly Reference[] =>
  filtersOf(entry).map(({ component }) => refer('parameters', component))

/** The fields that lists can be sorted by. */
export const sortable = ({ fields }: Resource): readonly Field[] =>
  [...fields.values()].filter((field) => isQueried(field) && field.compiled.type.sortable)

interface Filter {
  readonly component: string
  readonly parameter: Parameter
}

const isQueried = (field: Field): boolean => field.column !== undefined && isShown(field)

const known = new WeakMap<Entry, readonly Filter[]>()

/** The filters of a resource, gathered once for each document: every kind of list has them all. */
function filtersOf(entry: Entry): readonly Filter[] {
  const filters = known.get(entry) ?? gather(entry)
  known.set(entry, filters)
  return filters
}

function gather({ resource, names }: Entry): readonly Filter[] {
  return [...resource.fields.values()].filter(isQueried).flatMap((field) => {
    const component = `${names.record}.filter.${field.name}`
    const value = comparable(field, resource)
    const { type, filters = {} } = field.compiled
    const own = Object.entries(filters).map(([name, one]) => ownFilter(component, field, name, one))
    const common = type.operators.flatMap((operator) => [
      ...(operator === 'eq' ? [filter(component, `filter[${field.name}]`, value, operator)] : []),
      filter(`${component}.${operator}`, `filter[${field.name}][${operator}]`, value, operator),
    ])
    return [...common.filter(({ component: name }) => !own.some((one) => one.component === name)), ...own]
  })
}

const ownFilter = (
  component: string,
  { name: field }: Field,
  name: string,
  { description, schema = { type: 'string' } }: OwnFilter,
): Filter => ({
  component: `${component}.${name}`,
  parameter: { name: `filter[${field}][${name}]`, in: 'query', description, schema },
})

const filter = (component: string, name: string, value: Schema, operator: Operator): Filter => {
  const { description, schema } = OPERATORS[operator]
  return { component, parameter: { name, in: 'query', description, schema: schema ?? value } }
}

/** A value of the field, without its bounds: what no record has is found nowhere, and no error. */
function comparable(field: Field, resource: Resource): Schema {
  const { type = 'string', format, enum: values } = valueSchema(field, resource)
  return { type, ...(format !== undefined && { format }), ...(values !== undefined && { enum: values }) }
}

/** What each operator asks, and what it takes where that is no value of the field. */
const OPERATORS: Readonly<Record<Operator, { description: string; schema?: Schema }>> = {
  eq: { description: 'Is this' },
  ne: { description: 'Is not this, or is null' },
  gt: { description: 'Is greater than this' },
  gte: { description: 'Is this or greater' },
  lt: { description: 'Is less than this' },
  lte: { description: 'Is this or less' },
  like: {
    description: 'Has this text in it, in any case; `%` and `_` are wildcards',
    schema: { type: 'string' },
  },
  in: { description: 'Is one of these, joined by commas', schema: { type: 'string' } },
  null: { description: 'Is null; with `false`, is not', schema: { type: 'boolean' } },
}
