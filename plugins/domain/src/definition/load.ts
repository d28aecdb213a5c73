import { checksumOf } from './canonical.ts'
import { checkDefinition } from './check.ts'
import { type MapNode, positionOf } from './document.ts'
import { Findings } from './findings.ts'
import { FileFault, Folder } from './folder.ts'
import { expandIncludes } from './include.ts'
import type { Path, Position, Problem } from './problem.ts'
import { type Document, type Format, readText } from './read.ts'
import { readReferencedFiles } from './referenced-files.ts'
import { resolveDirectives } from './resolve.ts'
import { type Definition, definitionSchema, type LanguageExtensions } from './schema/definition.ts'
import { substitute, type Variables } from './substitute.ts'

/** Where a definition comes from: a text that somebody submitted, or a file, which may include others. */
export type DefinitionSource =
  | { readonly text: string; readonly format?: Format | undefined }
  | { readonly file: string }

export interface LoadOptions {
  readonly extensions: LanguageExtensions
  readonly variables: Variables
}

/** A definition, read, resolved and checked. */
export interface LoadedDefinition {
  /** What stands under `domain`, without directives, variables and unknown keys; frozen. */
  readonly definition: Definition
  /** The whole document without directives, with variables left as they are written. */
  readonly resolved: MapNode
  /** The root text, character by character. */
  readonly text: string
  readonly format: Format
  /** SHA-256 of the resolved document with its variables replaced, in hex; the order of keys does not count. */
  readonly checksum: string
  readonly warnings: readonly Problem[]
  /** Where the value at a path (from `domain` on) is written, or the nearest thing around it. */
  positionOf(path: Path): Position
}

/**
 * Reads a definition in the order of the language: read, include, resolve, substitute, check. Throws
 * DefinitionError with all problems, in the order of the text.
 */
export async function loadDefinition(
  from: DefinitionSource,
  { extensions, variables }: LoadOptions,
): Promise<LoadedDefinition> {
  const findings = new Findings()
  const { root, folder, text } = await open(from, findings)
  const expanded = await expandIncludes(root, folder, findings)
  const files = await readReferencedFiles(expanded, folder, variables, findings)
  const resolved = resolveDirectives(expanded, files, variables, findings)
  const substituted = substitute(resolved, variables, findings)
  const definition = checkDefinition(
    substituted,
    { root: resolved, source: root.source },
    schemaFor(extensions),
    findings,
  )
  if (!definition || findings.hasProblems) throw findings.error()
  return {
    definition: deepFreeze(definition),
    resolved,
    text,
    format: root.format,
    checksum: checksumOf(substituted),
    warnings: findings.warnings,
    positionOf: (path) => positionOf(resolved, path) ?? root.source.positionAt(0),
  }
}

interface Opened {
  readonly root: Document
  readonly folder: Folder | undefined
  readonly text: string
}

async function open(from: DefinitionSource, findings: Findings): Promise<Opened> {
  if ('text' in from) {
    const root = readText(from.text, findings, { format: from.format })
    return { root, folder: undefined, text: from.text }
  }
  try {
    const { folder, root } = await Folder.open(from.file, findings)
    return { root, folder, text: root.source.text }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    throw findings.fatal([], error.message)
  }
}

const schemas = new WeakMap<LanguageExtensions, ReturnType<typeof definitionSchema>>()

/** The schema of the language with `extensions`, built once. */
function schemaFor(extensions: LanguageExtensions): ReturnType<typeof definitionSchema> {
  const schema = schemas.get(extensions) ?? definitionSchema(extensions)
  schemas.set(extensions, schema)
  return schema
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}
