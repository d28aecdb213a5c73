import { substituteVariables, type Variables } from '@svc/kernel'
import type { Cursor } from './cursor.ts'
import { isList, isMap, mapOf, type MapNode, type Node } from './document.ts'
import type { Findings } from './findings.ts'
import { FileFault } from './folder.ts'
import { didYouMean, quoted } from './names.ts'
import { isField, isMerged } from './path.ts'
import { parseReference, type Reference, referenceText, SECTIONS } from './reference.ts'
import type { FileLookup } from './referenced-files.ts'
import { reportUnset } from './substitute.ts'

/** What a reference means: content that is to be resolved, or a value that stands for itself. */
export type Target = { readonly reference: Reference; readonly content: Node } | { readonly value: Node }

/** Keys whose value is a name, with the section that the name is found in. */
const NAMES: Readonly<Record<string, string>> = {
  enum: 'enums',
  target: 'resources',
  under: 'resources',
  resource: 'resources',
}

const WRITE_POINTER = "Write '#/properties/<name>', or '<file>#/<path>'"

/** Finds what the references of a document point at. What it cannot find it reports where the cursor stands. */
export class Targets {
  readonly #document: MapNode
  readonly #file: FileLookup
  readonly #variables: Variables
  readonly #findings: Findings
  readonly #cursor: Cursor

  constructor(document: MapNode, file: FileLookup, variables: Variables, findings: Findings, cursor: Cursor) {
    this.#document = document
    this.#file = file
    this.#variables = variables
    this.#findings = findings
    this.#cursor = cursor
  }

  /** The target of a reference; the cursor stands at the directive. */
  find(written: Node | undefined): Target | undefined {
    const reference = this.#parsed(written)
    const content = reference && this.#content(reference)
    if (!reference || content === undefined) return undefined
    const value = this.#use(reference)
    return value === undefined ? { reference, content } : { value }
  }

  #parsed(written: Node | undefined): Reference | undefined {
    const { path, position } = this.#cursor
    if (typeof written !== 'string') return this.#cursor.report('must be text', WRITE_POINTER)
    const { text, unset } = substituteVariables(written, this.#variables)
    for (const name of unset) reportUnset(this.#findings, name, path, position)
    if (unset.length > 0) return undefined
    const reference = parseReference(text)
    if (!reference) return this.#cursor.report(`${quoted(text)} is no reference`, WRITE_POINTER)
    if (reference.file !== undefined || reference.keys.length !== 2 || !isMerged(path)) return reference
    return this.#fieldsOf(reference)
  }

  /** What `$merge` means by a reference: a group of fields, or the fields of a resource. */
  #fieldsOf(reference: Reference): Reference | undefined {
    const [section] = reference.keys
    if (section === 'resources') return { ...reference, keys: [...reference.keys, 'object'] }
    if (section === 'objects') return reference
    const written = quoted(referenceText(reference))
    return this.#cursor.report(`${written} is no group of fields`, "Write '#/objects/<name>'")
  }

  #content(reference: Reference): Node | undefined {
    const { file, keys } = reference
    const top = file === undefined ? this.#document['domain'] : this.#fileContent(file)
    if (top === undefined) return undefined
    if (file === undefined && !SECTIONS.some((section) => section === keys[0]))
      return this.#unknown(reference, keys[0] ?? '', SECTIONS)
    let at: Node | undefined = top
    for (const key of keys) {
      const next = child(at, key)
      if (next === undefined) return this.#unknown(reference, key, isMap(at) ? Object.keys(at) : [])
      at = next
    }
    return at
  }

  #fileContent(file: string): MapNode | undefined {
    const by = this.#cursor.place?.source
    const content = by && this.#file(file, by)
    return content instanceof FileFault ? this.#cursor.report(content.message) : content
  }

  /**
   * The name, where a name belongs; the text field that an enumeration makes, where a field belongs; undefined
   * where the content is meant.
   */
  #use({ file, keys: [section, name, more] }: Reference): Node | undefined {
    const { path, place } = this.#cursor
    const holder = path.slice(0, -1)
    if (file !== undefined || name === undefined || more !== undefined) return undefined
    if (!isField(holder)) return NAMES[String(holder.at(-1))] === section ? name : undefined
    if (section !== 'enums') return undefined
    return mapOf([
      ['type', 'string', place],
      ['enum', name, place],
    ])
  }

  #unknown(reference: Reference, name: string, known: readonly string[]): undefined {
    const listed = known.length > 0 && known.length <= 10 ? `Known are ${known.join(', ')}` : undefined
    const hint = didYouMean(name, known) ?? (name === reference.keys[0] ? undefined : listed)
    const written = quoted(referenceText(reference))
    return this.#cursor.report(`${written} points at nothing: there is no ${quoted(name)}`, hint)
  }
}

function child(node: Node | undefined, key: string): Node | undefined {
  if (isList(node)) return node[Number(key)]
  return isMap(node) && Object.hasOwn(node, key) ? node[key] : undefined
}
