import { PERMISSIONS, type Resource } from '@svc/domain/contract'
import { filterReferences, sortable } from '../filters.ts'
import { type Parameter, type Reference, refer } from '../parts.ts'
import type { Entry } from '../catalog.ts'
import type { SharedParameter } from '../shared/parameters.ts'
import { codes, paragraphs } from '../text.ts'

/** References to shared parameters. */
export const shared = (...names: readonly SharedParameter[]): readonly Reference[] =>
  names.map((name) => refer('parameters', name))

/** The parameters that say which records: the same for lists, counts and exports. */
export const choosing = (entry: Entry): readonly (Parameter | Reference)[] => [
  ...(entry.resource.features.search ? shared('SearchParam') : []),
  ...(entry.resource.scopes.size > 0 ? shared('ScopeParam') : []),
  ...filterReferences(entry),
]

/** The parameters that say how a record is shown. */
export const showing = shared('IncludeParam', 'FieldsParam')

/** The parameters that say which part of the records, and in what order. */
const paging = shared('PageParam', 'LimitParam', 'OffsetParam', 'CursorParam', 'SortParam')

/** The parameters of a list, those that everybody needs first. */
export const listing = (entry: Entry): readonly (Parameter | Reference)[] => [
  ...paging,
  ...showing,
  ...choosing(entry),
]

/** The parameters of a table: a line has no room for other records. */
export const exporting = (entry: Entry): readonly (Parameter | Reference)[] => [
  ...paging,
  ...shared('FieldsParam'),
  ...choosing(entry),
]

/** What the parameters of a list can name. */
export const listingNotes = ({ resource }: Entry): string | undefined =>
  paragraphs(sorts(resource), includes(resource), scopes(resource))

/** What the parameters of a table can name. */
export const exportingNotes = ({ resource }: Entry): string | undefined =>
  paragraphs(sorts(resource), scopes(resource))

/** What `include` can name. */
export const includes = ({ relationships }: Resource): string =>
  `**Include:** ${codes([...relationships.keys(), PERMISSIONS])}.`

const sorts = (resource: Resource): string =>
  `**Sort by:** ${codes(sortable(resource).map(({ name }) => name))}.`

function scopes({ scopes: declared }: Resource): string | undefined {
  if (declared.size === 0) return undefined
  const lines = [...declared.values()].map(({ name, description, default: isDefault }) => {
    const said = description === undefined ? '' : `: ${description}`
    return `- \`${name}\`${isDefault ? ' (unless you name another)' : ''}${said}`
  })
  return ['**Scopes:**', '', ...lines].join('\n')
}
