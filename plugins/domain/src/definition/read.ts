import { isMap, type MapNode } from './document.ts'
import type { Findings } from './findings.ts'
import { readJson } from './json.ts'
import { MAX_SIZE, MAX_VALUES } from './limits.ts'
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
  return { source, format: used, root }
}

/** A text that starts with `{` or `[` is JSON, any other is YAML. */
const formatOf = (text: string): Format => (/^\s*[[{]/.test(text) ? 'json' : 'yaml')

/** Refuses a text whose size, or number of marks that part one value from the next, no definition needs. */
function assertReadable({ text, file }: Source, findings: Findings): void {
  const position = { file, line: 1, column: 1 }
  const refuse = (message: string) => findings.fatal([], message, position)
  if (text.length > MAX_SIZE || Buffer.byteLength(text) > MAX_SIZE)
    throw refuse('The text is larger than 5 MiB')
  if (partingMarks(text) > MAX_VALUES) throw refuse(`The text holds more than ${MAX_VALUES} values`)
}

/** Counts line breaks, commas and opening brackets: a value needs at least one of them before the next. */
function partingMarks(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || code === 0x0d || code === 0x2c || code === 0x5b || code === 0x7b) count++
  }
  return count
}
