import type { Redaction, Variables } from '@svc/kernel'
import { setImmediate } from 'node:timers/promises'
import { assertKindsOwned } from '../blocks/kinds.ts'
import { inOrder } from '../blocks/order.ts'
import { assertKeysFree } from '../blocks/own-keys.ts'
import { blockSchemas, withParts } from '../blocks/parts.ts'
import type { Block } from '../contract/block.ts'
import { runChecks } from '../checks/index.ts'
import {
  deepFreeze,
  type DefinitionSource,
  loadDefinition,
  type LoadedDefinition,
  type Reading,
  readDefinition,
} from '../definition/load.ts'
import { DefinitionError, inTextOrder, type Problem } from '../definition/problem.ts'
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
  /** Both of these, in the order of the text. */
  readonly warnings: readonly Problem[]
}

/** Reads a definition all the way to its model. Throws DefinitionError with everything that is wrong with it. */
export async function readModel(
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
  for (const one of placed(report.problems)) findings.add(one.path, one.message, one.position, one.hint)
  if (findings.hasProblems || model === undefined)
    throw new DefinitionError(findings.error().problems, warnings)
  deepFreeze(reading.definition)
  return { loaded: reading, model, unknown, idle, warnings }
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
 * The part of a definition that its tables come from. What subsystems add is not in it, nor is what variables put
 * into values and texts.
 */
export function snapshotOf({ definition }: Model, { resolved, meaning }: LoadedDefinition): string {
  const shown = meaning === undefined ? definition : redacted(definition, resolved)
  const { name, version, enums, blocks, resources } = shown
  return JSON.stringify({ domain: { name, version, enums, blocks, resources } })
}

/** The model that a snapshot was made of, as far as tables are concerned. */
export async function modelOfSnapshot(
  snapshot: string,
  language: Language,
  variables: Variables = () => undefined,
): Promise<Model> {
  const asWritten: Variables = (name) => variables(name) ?? `\${${name}}`
  const loaded = await loadDefinition(
    { text: snapshot, format: 'json' },
    { extensions: language.extensions, variables: asWritten },
  )
  return modelOf(loaded, language, createReport())
}

/** The model as everybody may see it: what variables put into values and texts stands as it is written. */
export function describedModel(
  { loaded, model }: Pick<ReadModel, 'loaded' | 'model'>,
  language: Language,
): Model {
  if (loaded.meaning === undefined) return model
  const definition = redacted(loaded.definition, loaded.resolved)
  const { resolved } = loaded
  const variables: Variables = () => undefined
  return modelOf({ definition, checksum: model.checksum, resolved, variables }, language, createReport())
}

function modelOf(
  loaded: Pick<LoadedDefinition, 'definition' | 'checksum' | 'resolved' | 'variables'>,
  { types, extensions, blocks = [], functions, speaker, redaction }: Language,
  report: Report,
): Model {
  const checksum = () => loaded.checksum
  const variables = createDefinitionVariables(loaded.variables, (secret) => void redaction?.add(secret))
  const features = Object.keys(extensions.features ?? {})
  return withParts(
    buildModel(loaded.definition, { types, features, functions, checksum, report, speaker, variables }),
    blocks,
    { report, written: loaded.resolved },
  )
}
