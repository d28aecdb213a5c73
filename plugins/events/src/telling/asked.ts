import { CHANGES_TOLD, type Data, type Resource } from '@svc/domain/contract'
import { type Caller, errors, nearest } from '@svc/kernel'

/** What a reader outside asks for. */
export interface AskedOutside {
  /** The resources that may tell the reader anything, as far as they are asked for. */
  readonly resources: readonly string[]
  /** Undefined: every action. */
  readonly actions: ReadonlySet<string> | undefined
  /** Undefined: every record. */
  readonly recordIds: readonly string[] | undefined
}

/** What outside is told of records and sheets: the last part of the names of events. */
const ACTIONS = [...CHANGES_TOLD, 'removed', 'schemaChanged']
const MAX_NAMES = 100

/** Reads the parameters that narrow. Throws INVALID_QUERY for what means nothing. */
export function askedOutside(
  query: Readonly<Partial<Record<'resource' | 'action' | 'id', string | undefined>>>,
  data: Data,
): Omit<AskedOutside, 'resources'> & { readonly named: readonly Resource[] } {
  const actions = listed(query.action)
  for (const action of actions ?? []) known('action', action, ACTIONS)
  const recordIds = listed(query.id)
  const { resources } = data.model
  const named = listed(query.resource)?.map((name) => {
    known('resource', name, [...resources.keys()])
    return resources.get(name)!
  })
  return { actions: actions && new Set(actions), recordIds, named: named ?? [...resources.values()] }
}

/** The names of all events of resources. */
export const namesOf = (resources: readonly Resource[]): readonly string[] =>
  resources.flatMap(({ actionPrefix }) => ACTIONS.map((action) => `${actionPrefix}${action}`))

/** The resources of which a caller may be told anything. */
export const openTo = (named: readonly Resource[], caller: Caller, data: Data): readonly Resource[] =>
  named.filter((one) => data.access(one, caller).rowsIfAny('list') !== undefined)

/** Their names. Throws UNAUTHORIZED or FORBIDDEN where there are none. */
export function audible(named: readonly Resource[], caller: Caller, data: Data): readonly string[] {
  const open = openTo(named, caller, data)
  if (open.length > 0) return open.map(({ name }) => name)
  if (caller.kind === 'anonymous') throw errors.UNAUTHORIZED()
  throw errors.FORBIDDEN({ message: 'You may list none of these resources, so no event tells you anything' })
}

function listed(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined
  const names = text.split(',').map((name) => name.trim())
  if (names.length > MAX_NAMES)
    throw errors.INVALID_QUERY({ message: `A list of events names at most ${MAX_NAMES} things` })
  return names
}

function known(what: string, name: string, all: readonly string[]): void {
  if (all.includes(name)) return
  const meant = nearest(name, all)
  const hint = meant === undefined ? `Known are ${all.join(', ')}` : `Did you mean '${meant}'?`
  throw errors.INVALID_QUERY({ message: `There is no ${what} '${name}'. ${hint}` })
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The id of an event, as a position. Throws INVALID_QUERY for what is none. */
export function eventId(text: string | undefined, what: string): string | undefined {
  if (text === undefined || text === '') return undefined
  if (UUID.test(text)) return text.toLowerCase()
  throw errors.INVALID_QUERY({
    message: `${what} is the id of an event, a UUID, and not '${text.slice(0, 50)}'`,
  })
}

/** The position before all events, for who comes when there are none. */
export const NO_EVENT = '00000000-0000-0000-0000-000000000000'
