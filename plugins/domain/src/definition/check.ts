import type { z } from 'zod'
import {
  isMap,
  keyPositionOf,
  type MapNode,
  mapValues,
  type Node,
  positionOf,
  UNRESOLVED,
  valueAt,
} from './document.ts'
import type { Findings } from './findings.ts'
import { type Fault, judge } from './judge.ts'
import { MAX_FIELDS, MAX_RESOURCES, MAX_UNKNOWN } from './limits.ts'
import { knownKeys } from './known-keys.ts'
import { explain } from './messages.ts'
import { nameProblems } from './names.ts'
import type { Path } from './problem.ts'
import { placeHint } from './place-hints.ts'
import type { Document } from './read.ts'
import { mended } from './repair.ts'
import type { Definition, DefinitionSchemas } from './schema/definition.ts'
import type { ResourceDefinition } from './schema/resource.ts'
import { keyMeant, keyWritten } from './synonyms.ts'

/** What the language makes of a document. */
export interface Checked {
  /** The definition; parts that break the language are left out of it. Undefined where too little is left. */
  readonly definition: Definition | undefined
  readonly faults: LanguageFaults
}

/** Where a document breaks the language. What the model has to say about these places may be wrong. */
export interface LanguageFaults {
  /** Names that may not be used; what they name is as it is written. */
  readonly misnamed: readonly Path[]
  /** What has a wrong shape, or was left out for that. */
  readonly misshapen: readonly Path[]
}

/**
 * Checks a document without directives against the definition language, and the names in it. Keys that nobody
 * knows are warnings, and left out of the definition. Positions are looked up in `written`, which has the same
 * shape. Resources are judged one by one: a hostile text is given up as soon as enough is wrong with it.
 */
export function checkDefinition(
  document: MapNode,
  written: Pick<Document, 'root' | 'source'>,
  schemas: DefinitionSchemas,
  findings: Findings,
): Checked {
  const check = new Check(document, written, schemas, findings)
  const misnamed = check.names()
  const domain = check.frame()
  const resources = check.resources()
  const { misshapen } = check
  return { definition: domain && { ...domain, resources }, faults: { misnamed, misshapen } }
}

class Check {
  readonly misshapen: Path[] = []
  readonly #document: MapNode
  readonly #written: Pick<Document, 'root' | 'source'>
  readonly #schemas: DefinitionSchemas
  readonly #findings: Findings
  #unknown = 0

  constructor(
    document: MapNode,
    written: Pick<Document, 'root' | 'source'>,
    schemas: DefinitionSchemas,
    findings: Findings,
  ) {
    this.#document = document
    this.#written = written
    this.#schemas = schemas
    this.#findings = findings
  }

  names(): readonly Path[] {
    const problems = nameProblems(this.#document)
    for (const { path, message, hint } of problems) this.#report(path, message, hint)
    return problems.map(({ path }) => path)
  }

  frame(): Definition | undefined {
    return this.#part(bare(this.#document), [], this.#schemas.frame)?.domain
  }

  resources(): Record<string, ResourceDefinition> {
    const written = valueAt(this.#document, ['domain', 'resources'])
    const resources: Record<string, ResourceDefinition> = {}
    this.#bound(written, ['domain', 'resources'], MAX_RESOURCES, 'a domain', 'resources')
    for (const [name, node] of Object.entries(isMap(written) ? written : {})) {
      const path = ['domain', 'resources', name]
      this.#bound(valueAt(node, ['object']), [...path, 'object'], MAX_FIELDS, 'a resource', 'fields')
      const resource = this.#part(node, path, this.#schemas.resource)
      if (resource !== undefined) resources[name] = resource
    }
    return resources
  }

  /** Judges what stands at `path`; undefined where nothing of it can be used. */
  #part<T>(node: Node, path: Path, schema: z.ZodType<T>): T | undefined {
    if (!isMap(node) || node === UNRESOLVED) return this.#noMap(node, path, schema)
    const { parsed, faults, unknown } = judge(node, schema)
    this.#unknown += unknown.length
    if (this.#unknown > MAX_UNKNOWN)
      throw this.#findings.fatal(path, `There are more than ${MAX_UNKNOWN} keys that are not known`)
    for (const key of unknown) this.#warn(path, key)
    for (const fault of faults) this.#refuse(fault, path, unknown)
    if (parsed !== undefined) return parsed
    const left = mended(node, faults, schema, { standsIn: path.length === 0 })
    this.misshapen.push(...left.dropped.map((dropped) => [...path, ...dropped]))
    return left.parsed
  }

  /** Gives up where a map has more entries than anybody needs. */
  #bound(node: Node | undefined, path: Path, limit: number, what: string, entries: string): void {
    if (!isMap(node) || Object.keys(node).length <= limit) return
    const position = positionOf(this.#written.root, path)
    throw this.#findings.fatal(path, `${what} has ${limit} ${entries} at most`, position)
  }

  #noMap<T>(node: Node, path: Path, schema: z.ZodType<T>): undefined {
    const issues = schema.safeParse(node, { error: () => '' }).error?.issues ?? []
    for (const issue of issues) this.#refuse({ path: [], issue, value: node }, path, [])
  }

  #warn(around: Path, key: Path): void {
    if (!this.#findings.takesWarnings) return
    const path = [...around, ...key]
    const known = knownKeys(this.#schemas.whole, path.slice(0, -1), this.#document)
    const meant = keyMeant(String(path.at(-1)), known)
    const position = keyPositionOf(this.#written.root, path)
    const hint = meant === undefined ? undefined : `Did you mean '${meant}'?`
    this.#findings.warn(path, 'is not known here and has no effect', position, hint)
  }

  #refuse({ path, issue, value }: Fault, around: Path, unknown: readonly Path[]): void {
    const full = [...around, ...path]
    this.misshapen.push(full)
    if (isUnresolved(this.#document, full)) return
    const { message, hint } = explain(issue, value)
    const near = value === undefined ? misspelt(path, unknown) : undefined
    const holder = valueAt(this.#document, full.slice(0, -1))
    this.#report(full, message, near ?? hint ?? placeHint(full, value, holder))
  }

  #report(path: Path, message: string, hint: string | undefined): void {
    const { root, source } = this.#written
    this.#findings.add(path, message, positionOf(root, path) ?? source.positionAt(0), hint)
  }
}

/** A document with nothing in its resources, which are judged apart. */
function bare(document: MapNode): MapNode {
  const { domain } = document
  const resources = isMap(domain) ? domain['resources'] : undefined
  if (!isMap(domain) || !isMap(resources)) return document
  const names = mapValues(resources, () => true)
  return mapValues(document, (value, key) =>
    key === 'domain'
      ? mapValues(domain, (inner, section) => (section === 'resources' ? names : inner))
      : value,
  )
}

/** An unknown key beside a missing one, which may be the missing one misspelt. */
function misspelt(missing: Path, unknown: readonly Path[]): string | undefined {
  const name = String(missing.at(-1))
  const beside = unknown.filter((path) => isBeside(path, missing)).map((path) => String(path.at(-1)))
  const meant =
    beside.length < 50
      ? keyWritten(
          name,
          beside.filter((one) => one.length < 40),
        )
      : undefined
  return meant && `'${meant}' beside it is not known: is '${name}' meant?`
}

const isBeside = (a: Path, b: Path): boolean =>
  a.length === b.length && a.slice(0, -1).every((step, index) => step === b[index])

/** Whether something at or around `path` was reported already. */
function isUnresolved(document: MapNode, path: Path): boolean {
  return path.some((_, index) => valueAt(document, path.slice(0, index + 1)) === UNRESOLVED)
}
