import type { Block } from '../blocks/block.ts'
import { blockSchemas, withParts } from '../blocks/parts.ts'
import { runChecks } from '../checks/index.ts'
import { type DefinitionSource, loadDefinition, type LoadedDefinition } from '../definition/load.ts'
import { DefinitionError, inTextOrder, type Problem } from '../definition/problem.ts'
import type { LanguageExtensions } from '../definition/schema/definition.ts'
import type { Variables } from '../definition/substitute.ts'
import type { FieldType } from '../fields/field-type.ts'
import { createFieldTypes, type FieldTypes } from '../fields/index.ts'
import { buildModel, type Model } from '../model/model.ts'
import { createReport, type Report } from '../model/report.ts'

/** The definition language as this server speaks it. */
export interface Language {
  readonly types: FieldTypes
  readonly extensions: LanguageExtensions
  /** The keys that other plugins own. */
  readonly blocks?: readonly Block[]
}

/** The language with the field types and the blocks that other plugins add. */
export function createLanguage(added: readonly FieldType[] = [], blocks: readonly Block[] = []): Language {
  const types = createFieldTypes(added)
  return Object.freeze({
    types,
    blocks,
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
  /** Both of these, in the order of the text. */
  readonly warnings: readonly Problem[]
}

/** Reads a definition all the way to its model. Throws DefinitionError with everything that is wrong with it. */
export async function readModel(
  source: DefinitionSource,
  language: Language,
  variables: Variables,
): Promise<ReadModel> {
  const loaded = await loadDefinition(source, { extensions: language.extensions, variables })
  const report = createReport()
  const model = modelOf(loaded, language, report)
  runChecks(model, report)
  const placed = (problems: readonly Problem[]) =>
    inTextOrder(problems.map((one) => ({ position: loaded.positionOf(one.path), ...one })))
  const idle = placed(report.warnings)
  const warnings = inTextOrder([...loaded.warnings, ...idle])
  if (report.problems.length > 0) throw new DefinitionError(placed(report.problems), warnings)
  return { loaded, model, unknown: loaded.warnings, idle, warnings }
}

/** The part of a definition that its tables come from. What subsystems add, secrets of theirs too, is not in it. */
export function snapshotOf({ definition }: Model): string {
  const { name, version, enums, blocks, resources } = definition
  return JSON.stringify({ domain: { name, version, enums, blocks, resources } })
}

/** The model that a snapshot was made of, as far as tables are concerned. */
export async function modelOfSnapshot(snapshot: string, language: Language): Promise<Model> {
  const asWritten: Variables = (name) => `\${${name}}`
  const loaded = await loadDefinition(
    { text: snapshot, format: 'json' },
    { extensions: language.extensions, variables: asWritten },
  )
  return modelOf(loaded, language, createReport())
}

function modelOf(
  { definition, checksum }: LoadedDefinition,
  { types, blocks = [] }: Language,
  report: Report,
): Model {
  return withParts(buildModel(definition, { types, checksum, report }), blocks, report)
}
