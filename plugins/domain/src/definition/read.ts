import { isMap, type MapNode } from './document.ts'
import type { Findings } from './findings.ts'
import { readJson } from './json.ts'
import { judgeOutline } from './outline.ts'
import { Source } from './source.ts'
import { TreeBuilder } from './tree-builder.ts'
import { readYaml } from './yaml.ts'

export const FORMATS = ['yaml', 'json'] as const
export type Format = (typeof FORMATS)[number]

/** One text, read. */
export interface Document {
  readonly source: Source
  readonly format: Format
  readonly root: MapNode
  /** Whether a key begins with `$`, as directives do. */
  readonly hasDirectives: boolean
  /** Whether a text may read a variable. */
  readonly hasVariables: boolean
}

const READERS = { yaml: readYaml, json: readJson } satisfies Record<Format, unknown>

/**
 * Reads a text into a document whose every entry knows its place. Duplicate keys, forbidden keys and texts that
 * cannot be stored are added to `findings`; throws DefinitionError where the text cannot be read as a map.
 */
export function readText(
  text: string,
  findings: Findings,
  { file, path, format }: { file?: string; path?: string; format?: Format | undefined } = {},
): Document {
  const source = new Source(text, file, path)
  assertReadable(source, findings)
  const used = format ?? formatOf(source.text)
  const builder = new TreeBuilder(source, findings)
  READERS[used](source, builder)
  const { root } = builder
  if (root === undefined || root === null) throw builder.fatal('The text is empty', 0)
  if (!isMap(root))
    throw builder.fatal('The text must be a map', builder.rootOffset, "Its first line is 'domain:'")
  const { hasDirectives, hasVariables } = builder
  return { source, format: used, root, hasDirectives, hasVariables }
}

/** A text that starts with `{` or `[` is JSON, any other is YAML. */
const formatOf = (text: string): Format => (/^\s*[[{]/.test(text) ? 'json' : 'yaml')

/** Refuses a text whose outline no definition has. */
function assertReadable({ text, file }: Source, findings: Findings): void {
  const refusal = judgeOutline(text)
  if (refusal) throw findings.fatal([], refusal.message, { file, line: refusal.line, column: 1 })
}
