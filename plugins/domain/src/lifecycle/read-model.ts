import type { Redaction, Variables } from '@svc/kernel'
import { setImmediate } from 'node:timers/promises'
import { assertKindsOwned } from '../blocks/kinds.ts'
import { inOrder } from '../blocks/order.ts'
import { assertKeysFree } from '../blocks/own-keys.ts'
import { blockSchemas, withParts } from '../blocks/parts.ts'
import type { Block } from '../contract/block.ts'
import { runChecks } from '../checks/index.ts'
import { sealed } from '../checks/sealed.ts'
import {
  deepFreeze,
  type DefinitionSource,
  loadDefinition,
  type LoadedDefinition,
  type Reading,
  readDefinition,
} from '../definition/load.ts'
import type { SheetColumn } from '../contract/columns.ts'
import { overlaid, type Renames } from '../overlay/overlay.ts'
import { type Settled, settleColumns } from '../overlay/settle.ts'
import type { Definition } from '../definition/schema/definition.ts'
import { DefinitionError, inTextOrder, type Problem } from '../definition/problem.ts'
import { amongFaults } from './faults.ts'
import { redacted } from '../definition/redact.ts'
import type { LanguageExtensions } from '../definition/schema/definition.ts'
import type { Aspect } from '../fields/aspect.ts'
import type { FieldType } from '../fields/field-type.ts'
import { createFieldTypes, type FieldTypes } from '../fields/index.ts'
import { createDefinitionVariables } from '../model/definition-variables.ts'
import { buildModel, type Model } from '../model/model.ts'
import { createReport, type Report, TooManyProblems } from '../model/report.ts'
import type { Functions } from '../model/vocabulary.ts'
import type { Speaker } from '../speech/speech.ts'
import { soundness } from './soundness.ts'

/** The definition language as this server speaks it. */
export interface Language {
  readonly types: FieldTypes
  readonly extensions: LanguageExtensions
  /** The keys that other plugins own. */
  readonly blocks?: readonly Block[]
  /** The functions of expressions that other plugins add. */
  readonly functions?: Functions
  /** Chooses texts; the engine itself unless said. */
  readonly speaker?: Speaker | undefined
  /** Is told of the secrets that definitions name. */
  readonly redaction?: Pick<Redaction, 'add'> | undefined
}

/** What plugins add to the language. */
export interface Additions {
  readonly types?: readonly FieldType[]
  readonly aspects?: readonly Aspect[]
  readonly blocks?: readonly Block[]
  readonly functions?: Functions
  readonly speaker?: Speaker | undefined
  readonly redaction?: Pick<Redaction, 'add'> | undefined
}

/** The language with what other plugins add. */
export function createLanguage({
  types: added = [],
  aspects = [],
  blocks = [],
  functions,
  speaker,
  redaction,
}: Additions = {}): Language {
  const types = createFieldTypes(added, aspects)
  assertKeysFree(blocks)
  assertKindsOwned(blocks)
  return Object.freeze({
    types,
    blocks: inOrder(blocks),
    ...(functions && { functions }),
    speaker,
    redaction,
    extensions: { typeAttributes: types.attributes, ...blockSchemas(blocks) },
  })
}

/** A definition on its way into force: what was written, and what it means. */
export interface ReadModel {
  readonly loaded: LoadedDefinition
  readonly model: Model
  /** Keys that nobody knows. */
  readonly unknown: readonly Problem[]
  /** Things that mean nothing where they stand. */
  readonly idle: readonly Problem[]
  /** What only keeps it from being put in force: none of a definition that may be. */
  readonly faults: readonly Problem[]
  /** Unknown keys and what is idle, in the order of the text. */
  readonly warnings: readonly Problem[]
  /** Keys below `domain` that say something of how fields are stored. */
  readonly reads: readonly string[]
  /** The columns of users that the model has beside the definition; none unless said. */
  readonly columns?: readonly SheetColumn[]
}

/** Reads a definition all the way to its model. Throws DefinitionError with everything that is wrong with it. */
export async function readModel(
  source: DefinitionSource,
  language: Language,
  variables: Variables,
): Promise<ReadModel> {
  return faultless(await readAsInForce(source, language, variables))
}

/** A definition that may be put in force. Throws DefinitionError. */
export function faultless(read: ReadModel): ReadModel {
  if (read.faults.length > 0) throw new DefinitionError(read.faults, read.warnings)
  return read
}

/** Reads a definition that may be in force already: throws DefinitionError where no model can be built of it for certain. */
export async function readAsInForce(
  source: DefinitionSource,
  language: Language,
  variables: Variables,
): Promise<ReadModel> {
  const reading = await readDefinition(source, { extensions: language.extensions, variables })
  const { findings } = reading
  await setImmediate()
  const report = createReport(soundness(reading))
  const model = checkedModel(reading, language, report)
  const placed = (problems: readonly Problem[]) =>
    problems.map((one) => ({ position: reading.positionOf(one.path), ...one }))
  const idle = inTextOrder(placed(report.warnings))
  const unknown = findings.warnings
  const warnings = inTextOrder([...unknown, ...idle])
  const add = (one: Problem) => findings.add(one.path, one.message, one.position, one.hint)
  placed(report.problems).forEach(add)
  const faults = inTextOrder(placed(report.judgements))
  if (findings.hasProblems || model === undefined) {
    faults.forEach(add)
    throw new DefinitionError(findings.error().problems, warnings)
  }
  deepFreeze(reading.definition)
  return { loaded: reading, model, unknown, idle, faults, warnings, reads: language.types.reads }
}

/** How columns are laid over a definition. */
export interface Laying {
  readonly renames?: Renames | undefined
  /** Whether a fault of the two is borne, since they are in force together with it; only those of the definition unless said. */
  bears?(fault: Problem): boolean
}

/**
 * A definition with the columns that users have added. It was read without them first: it cannot name what is no part of
 * it. Throws DefinitionError where the two do not go together.
 */
export function withColumns(
  read: ReadModel,
  columns: readonly SheetColumn[],
  language: Language,
  { renames, bears = () => false }: Laying = {},
): ReadModel {
  if (columns.length === 0) return read
  const { resolved, variables } = read.loaded
  const definition = overlaid(read.loaded.definition, columns, renames)
  const report = createReport()
  const model = modelOf({ definition, checksum: read.model.checksum, resolved, variables }, language, report)
  // What a column keeps of other fields is judged as what a declared field does.
  if (columns.some((one) => one.definition.computed !== undefined)) sealed(model, report)
  const isKnown = amongFaults(read.faults)
  const faults = report.judgements.filter((one) => !isKnown(one))
  const refused = [...report.problems, ...faults.filter((one) => !bears(one))]
  if (refused.length > 0) throw new DefinitionError(refused)
  return { ...read, model, columns, faults: [...read.faults, ...faults] }
}

/** What becomes of columns under a definition that was read. Throws DefinitionError where they are in its way. */
export function settledColumns(
  { model, loaded }: ReadModel,
  columns: readonly SheetColumn[],
  later?: Definition,
): Settled['columns'] {
  if (columns.length === 0) return columns
  const settled = settleColumns(columns, model, later)
  if (settled.problems.length === 0) return settled.columns
  throw new DefinitionError(
    settled.problems.map((one) => ({ ...one, position: loaded.positionOf(one.path) })),
  )
}

/** The model; undefined where so much is wrong that the rest was not looked at. */
function checkedModel(reading: Reading, language: Language, report: Report): Model | undefined {
  try {
    const model = modelOf(reading, language, report)
    runChecks(model, report)
    return model
  } catch (error) {
    if (!(error instanceof TooManyProblems)) throw error
    return undefined
  }
}

/**
 * The part of a definition that its tables come from. What subsystems add is not in it, but for `reads`, nor is what variables put
 * into values and texts.
 */
export function snapshotOf(
  { definition, resolved, meaning }: LoadedDefinition,
  reads: readonly string[] = [],
): string {
  const shown: Readonly<Record<string, unknown>> =
    meaning === undefined ? definition : redacted(definition, resolved)
  const { name, version, enums, blocks, resources } = shown
  const read = Object.fromEntries(reads.map((key) => [key, shown[key]]))
  return JSON.stringify({ domain: { name, version, enums, blocks, ...read, resources } })
}

/** The model that a snapshot was made of, as far as tables are concerned. */
export async function modelOfSnapshot(
  snapshot: string,
  language: Language,
  variables: Variables = () => undefined,
  /** What becomes of the columns that users have added; there are none unless said. */
  columnsFor: (plain: Model) => readonly SheetColumn[] = () => [],
  /** Is told what is wrong with it. What subsystems say counts where their key is whole in it: they have a part of a definition. */
  report: Report = createReport(),
): Promise<Model> {
  const asWritten: Variables = (name) => variables(name) ?? `\${${name}}`
  const loaded = await loadDefinition(
    { text: snapshot, format: 'json' },
    { extensions: language.extensions, variables: asWritten },
  )
  const { reads } = language.types
  const ofParts: Report = {
    ...report,
    problem(path, message, hint) {
      if (reads.includes(String(path[1]))) report.problem(path, message, hint)
    },
  }
  const plain = modelOf(loaded, language, report, ofParts)
  const columns = columnsFor(plain)
  if (columns.length === 0) return plain
  const { resolved, variables: filled } = loaded
  const definition = overlaid(loaded.definition, columns)
  return modelOf(
    { definition, checksum: plain.checksum, resolved, variables: filled },
    language,
    report,
    ofParts,
  )
}

/** The model as everybody may see it: what variables put into values and texts stands as it is written. */
export function describedModel(
  { loaded, model, columns = [] }: Pick<ReadModel, 'loaded' | 'model' | 'columns'>,
  language: Language,
): Model {
  if (loaded.meaning === undefined) return model
  const definition = overlaid(redacted(loaded.definition, loaded.resolved), columns)
  const { resolved } = loaded
  const variables: Variables = () => undefined
  return modelOf({ definition, checksum: model.checksum, resolved, variables }, language, createReport())
}

function modelOf(
  loaded: Pick<LoadedDefinition, 'definition' | 'checksum' | 'resolved' | 'variables'>,
  { types, extensions, blocks = [], functions, speaker, redaction }: Language,
  report: Report,
  /** Hears what subsystems say. */
  ofParts = report,
): Model {
  const checksum = () => loaded.checksum
  const variables = createDefinitionVariables(loaded.variables, (secret) => void redaction?.add(secret))
  const features = Object.keys(extensions.features ?? {})
  return withParts(
    buildModel(loaded.definition, { types, features, functions, checksum, report, speaker, variables }),
    blocks,
    { report: ofParts, written: loaded.resolved },
  )
}
