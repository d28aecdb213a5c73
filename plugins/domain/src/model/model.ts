import type { Relations } from '@svc/expression/contract'
import type { Table } from '@svc/store/contract'
import type { Placed } from '../contract/part.ts'
import type { Path } from '../definition/problem.ts'
import type { Definition } from '../definition/schema/definition.ts'
import type { RelationshipDefinition, ResourceDefinition } from '../definition/schema/resource.ts'
import type { Members } from '../fields/field-type.ts'
import type { FieldTypes } from '../fields/index.ts'
import { withNamedTexts } from '../speech/named.ts'
import { plainSpeaker } from '../speech/plain-speaker.ts'
import type { Speaker, Localizer } from '../speech/speech.ts'
import { prefixesOf } from './api.ts'
import { buildComputed, type Formula, formulaOf, listedFormula } from './computed.ts'
import { type DefinitionVariables, NO_VARIABLES } from './definition-variables.ts'
import type { ResourceDraft } from './draft.ts'
import { buildEnumerations, type Enumeration } from './enumeration.ts'
import { buildFonts, type Fonts } from './fonts.ts'
import { buildIcons, type IconSets } from './icons.ts'
import { buildField, type Field, type FieldSurroundings } from './field.ts'
import { fieldsFoundBy } from './found-by.ts'
import { crossesRecords, isReactive, overrideFields } from './override.ts'
import { crossable } from './others.ts'
import { buildRelationship, type RelationshipSurroundings } from './relationship.ts'
import type { Report } from './report.ts'
import { buildResource, type Resource } from './resource.ts'
import { type ReachIndex, reachIndexes } from './reach-indexes.ts'
import { bindRelations } from './relation-end.ts'
import { relationsOf } from './relations.ts'
import { bindSiblings } from './siblings.ts'
import { buildTable, indexedFields, withIndexes } from './table.ts'
import type { Functions } from './vocabulary.ts'

/** A definition, compiled and frozen. Nothing reads the definition's text after this. */
export interface Model {
  readonly name: string
  /** The author's own version of the definition. */
  readonly version: string
  readonly description: string | undefined
  /** SHA-256 of the resolved definition, in hex: two definitions with the same one are the same. */
  readonly checksum: string
  /** Path prefixes, the canonical one first: `/api/v1/shop`. */
  readonly prefixes: readonly string[]
  readonly enums: ReadonlyMap<string, Enumeration>
  /** The blocks that fields of type `blocks` are made of. */
  readonly blocks: ReadonlyMap<string, Members>
  readonly icons: IconSets
  readonly fonts: Fonts
  readonly resources: ReadonlyMap<string, Resource>
  /** Tables of the resources, then those between two resources. */
  readonly tables: readonly Table[]
  /** The languages that it speaks. */
  readonly localizer: Localizer
  /** Indexes that nobody declared, for the lists that expressions go through. */
  readonly reachIndexes: readonly ReachIndex[]
  /** What blocks of other plugins make of the definition. */
  readonly parts: readonly Placed[]
  /** The functions that plugins add to expressions; absent where none does. */
  readonly functions: Functions | undefined
  /** What the definition may read of the server's environment; of a model that is only looked at: nothing. */
  readonly variables: DefinitionVariables
  readonly definition: Definition
}

export interface ModelSurroundings {
  readonly types: FieldTypes
  /** Names of the features that blocks own; none unless said. */
  readonly features?: readonly string[]
  /** The functions that plugins add to expressions. */
  readonly functions?: Functions | undefined
  /** Works out the checksum; asked last. */
  readonly checksum: () => string
  readonly report: Report
  /** Chooses texts; the engine's own unless said. */
  readonly speaker?: Speaker | undefined
  /** What the definition may read of the environment; nothing unless said. */
  readonly variables?: DefinitionVariables
}

/** Compiles a definition. What makes no sense goes to the report; with problems there the model is not for use. */
export function buildModel(
  written: Definition,
  {
    types,
    features = [],
    functions,
    checksum,
    report,
    speaker = plainSpeaker,
    variables = NO_VARIABLES,
  }: ModelSurroundings,
): Model {
  const localizer = speaker({ definition: written })
  const definition = localizer.name ? withNamedTexts(written, localizer.name) : written
  const domain = definition.name.toLowerCase()
  const enums = buildEnumerations(definition.enums ?? {})
  // Their names are known from the beginning; what they hold, which may be blocks, once all are built.
  const blocks = new Map<string, Members>(
    Object.keys(definition.blocks ?? {}).map((name) => [name, new Map()]),
  )
  const foundBy = fieldsFoundBy(definition)
  const around = { types, enums, report, blocks, domain: definition }
  for (const [name, members] of blockMembers(definition, around)) blocks.set(name, members)
  const drafts: ReadonlyMap<string, ResourceDraft> = new Map(
    Object.entries(definition.resources).map(([name, resource]) => [
      name,
      draftOf(name, resource, {
        around: { ...around, resource: name },
        domain,
        functions,
        foundBy: foundBy.get(name) ?? new Set(),
        draftsOf: () => drafts,
      }),
    ]),
  )
  const relations = { domain, drafts, report, impliedField: implied(around) }
  // The keys of relationships first, by which others lead back; then formulas, which may read and go all of them.
  for (const draft of drafts.values()) addRelationships(draft, isLink, relations)
  for (const draft of drafts.values()) addRelationships(draft, isNoLink, relations)
  const computed = buildComputed(drafts.values(), around)
  const prefixes = prefixesOf(definition)
  const built = new Map(
    [...drafts].map(([name, draft]) => [
      name,
      buildResource(draft, {
        domain,
        drafts,
        report,
        prefixes,
        features,
        localizer,
        computed: computed.get(draft)!,
      }),
    ]),
  )
  const indexes = reachIndexes(built)
  const resources = new Map([...built].map(([name, one]) => [name, indexed(one, indexes)]))
  bindRelations(resources)
  bindSiblings(resources)
  return Object.freeze({
    name: domain,
    version: definition.version,
    description: definition.description,
    checksum: checksum(),
    prefixes,
    enums,
    blocks,
    icons: buildIcons(definition.icons, { types, report }),
    fonts: buildFonts(definition.fonts, report),
    resources,
    tables: tablesOf(resources),
    reachIndexes: indexes,
    localizer,
    parts: [],
    functions,
    variables,
    definition,
  })
}

function indexed(resource: Resource, indexes: readonly ReachIndex[]): Resource {
  const columns = indexes.flatMap(({ resource: name, field }) =>
    name === resource.name ? (resource.fields.get(field)?.column ?? []) : [],
  )
  if (columns.length === 0) return resource
  return Object.freeze({ ...resource, table: withIndexes(resource.table, columns, resource.key.column!) })
}

interface DraftSurroundings {
  readonly around: FieldSurroundings
  readonly domain: string
  readonly functions: Functions | undefined
  readonly foundBy: ReadonlySet<string>
  /** All drafts, once they are there. */
  readonly draftsOf: () => ReadonlyMap<string, ResourceDraft>
}

function draftOf(
  name: string,
  definition: ResourceDefinition,
  { around: outer, domain, functions, foundBy, draftsOf }: DraftSurroundings,
): ResourceDraft {
  const path = ['domain', 'resources', name]
  const around = { ...outer, indexed: indexedFields({ definition, foundBy }) }
  const formulas = formulasOf(definition, path, around.report)
  const plain = Object.entries(definition.object)
    .filter(([field]) => !formulas.has(field))
    .map(([field, written]) => buildField(field, written, [...path, 'object', field], around))
  const key = plain.find((field) => field.primaryKey) ?? impliedKey(path, around)
  let relations: Relations | undefined
  let table: Table | undefined
  const draft: ResourceDraft = {
    name,
    path,
    definition,
    fields: new Map(
      [key, ...plain, ...overrideFields(formulas, definition, { ...around, resource: name })].map((field) => [
        field.name,
        field,
      ]),
    ),
    formulas,
    key,
    relationships: new Map(),
    functions,
    foundBy,
    others: crossesRecords(definition) ? crossable(draftsOf) : undefined,
    get relations() {
      return (relations ??= relationsOf(draft, draftsOf(), outer.domain))
    },
    get table() {
      return (table ??= buildTable(draft, { domain, drafts: draftsOf() }))
    },
  }
  return draft
}

/** Computed fields stand among the other fields, or in a list of their own. */
function formulasOf(
  definition: ResourceDefinition,
  path: Path,
  report: Report,
): ReadonlyMap<string, Formula> {
  const among = Object.entries(definition.object).flatMap(
    ([name, written]) => formulaOf(name, written, [...path, 'object', name]) ?? [],
  )
  const listed = Object.entries(definition.computed ?? {}).map(([name, computed]) =>
    listedFormula(name, computed, [...path, 'computed', name]),
  )
  for (const { name, path: at } of listed) {
    if (Object.hasOwn(definition.object, name))
      report.problem(at, `'${name}' is declared under 'object' too`, 'Keep one of them')
  }
  const formulas = [...among, ...listed]
  return new Map(
    (isReactive(definition) ? formulas.map((one) => kept(one, report)) : formulas).map((formula) => [
      formula.name,
      formula,
    ]),
  )
}

/** A formula of a reactive sheet; one that says not to be stored is reported. */
function kept(formula: Formula, report: Report): Formula {
  const { name, stored, sourcePath } = formula
  if (stored === false)
    report.problem(
      [...sourcePath.slice(0, -1), 'stored'],
      `'${name}' is not stored, and a reactive sheet keeps every computed field`,
      'Drop stored, or computedFields.reactive',
    )
  return { ...formula, stored: true }
}

const impliedKey = (path: Path, around: FieldSurroundings): Field =>
  buildField('id', { type: 'uuid', primaryKey: true }, [...path, 'object', 'id'], around)

const implied = (around: FieldSurroundings) => (name: string, like: Field | undefined) =>
  buildField(name, { type: impliedType(like?.compiled.type) }, [], around)

/** Types whose values the service makes, and what holds such a value of another record: nothing is made there. */
const MADE: Readonly<Record<string, string>> = { autoincrement: 'integer', token: 'string', slug: 'string' }

/** The type of a field that holds keys of this type; without one these are of the usual type. */
function impliedType(key: Field['compiled']['type'] | undefined): string {
  if (key === undefined || key.column === 'uuid') return 'uuid'
  return MADE[key.name] ?? key.name
}

const isLink = ({ type }: RelationshipDefinition): boolean => type === 'belongsTo'
const isNoLink = (one: RelationshipDefinition): boolean => !isLink(one)

function addRelationships(
  draft: ResourceDraft,
  which: (definition: RelationshipDefinition) => boolean,
  around: RelationshipSurroundings,
): void {
  for (const [name, definition] of Object.entries(draft.definition.relationships ?? {})) {
    const relationship = which(definition) ? buildRelationship(draft, name, definition, around) : undefined
    if (relationship) draft.relationships.set(name, relationship)
  }
}

/** What each block holds. A block may hold blocks, so `around` knows them only when all are built. */
function blockMembers(definition: Definition, around: FieldSurroundings): readonly [string, Members][] {
  return Object.entries(definition.blocks ?? {}).map(([name, { fields }]) => {
    const path = ['domain', 'blocks', name, 'fields']
    const built = Object.entries(fields).map(([field, written]) =>
      buildField(field, written, [...path, field], around),
    )
    const members = built.map(
      (field) =>
        [field.name, { ...field.compiled, required: field.required, default: field.default }] as const,
    )
    return [name, new Map(members)]
  })
}

/** Two resources may declare the same junction from both ends: it is one table. */
function tablesOf(resources: ReadonlyMap<string, Resource>): readonly Table[] {
  const own = [...resources.values()].map((resource) => resource.table)
  const junctions = [...resources.values()]
    .flatMap((resource) => [...resource.relationships.values()])
    .flatMap((relationship) => (relationship.kind === 'belongsToMany' ? relationship.junction : []))
  return [...new Map([...own, ...junctions].map((table) => [table.name, table])).values()]
}
