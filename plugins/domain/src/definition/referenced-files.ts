import { substituteVariables, type Variables } from '@svc/kernel'
import { entriesOf, isList, isMap, type MapNode, type Node, type Place } from './document.ts'
import type { Findings } from './findings.ts'
import { FileFault, type Folder } from './folder.ts'
import { quoted } from './names.ts'
import { DefinitionError } from './problem.ts'
import { parseReference } from './reference.ts'
import type { Source } from './source.ts'

/** The content of the file that a reference written in `by` names, or why there is none. */
export type FileLookup = (file: string, by: Source) => MapNode | FileFault

/**
 * Reads the files that references name, whether `$include` lists them or not, and those that their own
 * references name, so that resolving needs no files.
 */
export async function readReferencedFiles(
  document: MapNode,
  folder: Folder | undefined,
  variables: Variables,
  findings: Findings,
): Promise<FileLookup> {
  const files = new Map<string, MapNode | FileFault>()
  const pending: Node[] = [document]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const [text, { source }] of writtenReferences(node)) {
      const file = parseReference(substituteVariables(text, variables).text)?.file
      if (file === undefined || files.has(keyOf(file, source))) continue
      const content = await contentOf(file, source, folder, findings)
      files.set(keyOf(file, source), content)
      if (!(content instanceof FileFault)) pending.push(content)
    }
  }
  return (file, by) => files.get(keyOf(file, by)) ?? new FileFault('The file was not read')
}

const keyOf = (file: string, by: Source): string => `${by.path ?? ''}\0${file}`

async function contentOf(
  file: string,
  by: Source,
  folder: Folder | undefined,
  findings: Findings,
): Promise<MapNode | FileFault> {
  if (!folder) return new FileFault('A submitted text has no folder to read files from')
  try {
    return (await folder.read(await folder.find(file, by), findings)).root
  } catch (error) {
    if (error instanceof FileFault) return error
    if (!(error instanceof DefinitionError)) throw error
    return new FileFault(`${quoted(file)} cannot be read`)
  }
}

type Written = readonly [text: string, place: Place]

/** The references in a document, as they are written. */
function writtenReferences(node: Node, found: Written[] = []): readonly Written[] {
  if (isList(node)) for (const item of node) writtenReferences(item, found)
  if (!isMap(node)) return found
  for (const [key, value, place] of entriesOf(node)) {
    const isDirective = key === '$ref' || key === '$merge'
    for (const item of isDirective && isList(value) ? value : [value]) {
      if (!isDirective || typeof item !== 'string') writtenReferences(item, found)
      else if (place) found.push([item, place])
    }
  }
  return found
}
