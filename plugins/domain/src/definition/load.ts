import type { Variables } from '@svc/kernel'
import { setImmediate } from 'node:timers/promises'
import { canonicalJson, checksumOf } from './canonical.ts'
import { checkDefinition, type LanguageFaults } from './check.ts'
import { type MapNode, positionOf } from './document.ts'
import { Findings } from './findings.ts'
import { FileFault, Folder } from './folder.ts'
import { expandIncludes } from './include.ts'
import type { Path, Position, Problem } from './problem.ts'
import { type Document, type Format, readText } from './read.ts'
import { readReferencedFiles } from './referenced-files.ts'
import { resolveDirectives } from './resolve.ts'
import { withSatellites } from './satellites.ts'
import {
  type Definition,
  type DefinitionSchemas,
  definitionSchemas,
  type LanguageExtensions,
} from './schema/definition.ts'
import { substitute } from './substitute.ts'

/** Where a definition comes from: a text that somebody submitted, or a file, which may include others. */
export type DefinitionSource =
  | {
      readonly text: string
      readonly format?: Format | undefined
      /** It was read before, with all that stood in files beside it. */
      readonly isResolved?: boolean
    }
  | {
      readonly file: string
      /** Told of every file that is read, also of a definition that is refused. */
      readonly onRead?: ((path: string) => void) | undefined
    }

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
  /** What its variables were looked up in. */
  readonly variables: Variables
  /** The root text, character by character. */
  readonly text: string
  readonly format: Format
  /** SHA-256 of the resolved document, in hex, its variables as they are written; the order of keys does not count. */
  readonly checksum: string
  /** The document with its variables replaced, as canonical JSON; undefined where it reads none. */
  readonly meaning: string | undefined
  readonly warnings: readonly Problem[]
  /** Where the value at a path (from `domain` on) is written, or the nearest thing around it. */
  positionOf(path: Path): Position
}

/** A definition as far as it can be read, with what is wrong so far. */
export interface Reading extends LoadedDefinition {
  /** Where it breaks the language. */
  readonly faults: LanguageFaults
  /** What could not be read, included or resolved. */
  readonly broken: readonly Path[]
  readonly findings: Findings
}

/** Reads a definition and checks it against the language. Throws DefinitionError with all problems. */
export async function loadDefinition(
  from: DefinitionSource,
  options: LoadOptions,
): Promise<LoadedDefinition> {
  const { faults: _faults, broken: _broken, findings, ...loaded } = await readDefinition(from, options)
  if (findings.hasProblems) throw findings.error()
  return { ...loaded, definition: deepFreeze(loaded.definition) }
}

/**
 * Reads a definition in the order of the language: read, include, resolve, substitute, check. Throws
 * DefinitionError where too little can be read to go on.
 */
export async function readDefinition(
  from: DefinitionSource,
  { extensions, variables }: LoadOptions,
): Promise<Reading> {
  const findings = new Findings()
  const { root, folder, text } = await open(from, findings)
  // The largest text keeps a server busy for a while: between the stages others get their turn.
  await setImmediate()
  const isResolved = 'isResolved' in from && from.isResolved === true
  const whole = await resolve(root, folder, variables, findings)
  const { root: resolved, hasVariables } = await withSatellites(whole, { folder, isResolved }, findings)
  const broken = findings.paths
  const substituted =
    root.hasDirectives || root.hasVariables || hasVariables
      ? substitute(resolved, variables, findings)
      : resolved
  const unfilled = findings.paths.slice(broken.length)
  await setImmediate()
  const written = { root: resolved, source: root.source }
  const { definition, faults } = checkDefinition(substituted, written, schemasFor(extensions), findings)
  if (!definition) throw findings.error()
  return {
    definition,
    resolved,
    variables,
    text,
    format: root.format,
    get checksum() {
      return checksumOf(resolved)
    },
    meaning: substituted === resolved ? undefined : canonicalJson(substituted),
    get warnings() {
      return findings.warnings
    },
    positionOf: (path) => positionOf(resolved, path) ?? root.source.positionAt(0),
    // A text that could not be filled is a fault of its own place: what it stands in is known.
    faults: { ...faults, misshapen: [...faults.misshapen, ...unfilled] },
    broken,
    findings,
  }
}

/** The document without directives; the text itself says whether there are any. */
async function resolve(
  root: Document,
  folder: Folder | undefined,
  variables: Variables,
  findings: Findings,
): Promise<MapNode> {
  if (!root.hasDirectives) return root.root
  const expanded = await expandIncludes(root, folder, findings)
  const files = await readReferencedFiles(expanded, folder, variables, findings)
  return resolveDirectives(expanded, files, variables, findings)
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
    const { folder, root } = await Folder.open(from.file, findings, from.onRead)
    return { root, folder, text: root.source.text }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    throw findings.fatal([], error.message)
  }
}

const known = new WeakMap<LanguageExtensions, DefinitionSchemas>()

/** The schemas of the language with `extensions`, built once. */
function schemasFor(extensions: LanguageExtensions): DefinitionSchemas {
  const schemas = known.get(extensions) ?? definitionSchemas(extensions)
  known.set(extensions, schemas)
  return schemas
}

/** Freezes a value with all that is in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}
