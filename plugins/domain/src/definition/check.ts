import { nearest } from '@svc/kernel'
import type { z } from 'zod'
import {
  entriesOf,
  isList,
  isMap,
  keyPositionOf,
  mapItems,
  mapOf,
  type MapNode,
  mapValues,
  type Node,
  positionOf,
  UNRESOLVED,
  valueAt,
} from './document.ts'
import type { Findings } from './findings.ts'
import { knownKeys } from './known-keys.ts'
import { MAX_PROBLEMS } from './limits.ts'
import { explain, isOtherType } from './messages.ts'
import { didYouMean, nameProblems } from './names.ts'
import type { Path, Problem } from './problem.ts'
import type { Document } from './read.ts'
import type { Definition } from './schema/definition.ts'

type Schema = z.ZodType<{ domain: Definition }>

/**
 * Checks a document without directives against the definition language, and the names in it. Keys that nobody
 * knows are warnings, and left out of the definition. Positions are looked up in `written`, which has the same
 * shape. Answers undefined where the definition breaks the language.
 */
export function checkDefinition(
  document: MapNode,
  written: Pick<Document, 'root' | 'source'>,
  schema: Schema,
  findings: Findings,
): Definition | undefined {
  const { parsed, faults, unknown } = judge(document, schema)
  for (const path of unknown.slice(0, MAX_PROBLEMS + 1)) {
    const hint = didYouMean(String(path.at(-1)), knownKeys(schema, path.slice(0, -1)))
    findings.warn(path, 'is not known here and has no effect', keyPositionOf(written.root, path), hint)
  }
  for (const { path, message, hint } of problemsOf(document, faults, unknown))
    if (!isUnresolved(document, path))
      findings.add(path, message, positionOf(written.root, path) ?? written.source.positionAt(0), hint)
  return parsed?.domain
}

function* problemsOf(
  document: MapNode,
  faults: readonly Fault[],
  unknown: readonly Path[],
): Iterable<Pick<Problem, 'path' | 'message'> & { readonly hint?: string | undefined }> {
  for (const { path, issue, value } of faults) {
    const { message, hint } = explain(issue, value)
    yield { path, message, hint: value === undefined ? misspelt(path, unknown) : hint }
  }
  yield* nameProblems(document)
}

interface Judgement {
  readonly parsed: { readonly domain: Definition } | undefined
  readonly faults: readonly Fault[]
  /** Paths of the keys that the schema does not know. */
  readonly unknown: readonly Path[]
}

interface Fault {
  readonly path: Path
  readonly issue: z.core.$ZodIssue
  readonly value: Node | undefined
}

/** Parses a document; where it has unknown keys, parses again without them, so that the rest is checked whole. */
function judge(document: MapNode, schema: Schema): Judgement {
  // An empty message marks those that the schema leaves to us.
  const result = schema.safeParse(document, { error: () => '' })
  if (result.success) return { parsed: result.data, faults: [], unknown: [] }
  const faults = result.error.issues.flatMap((issue) => faultsOf(issue, [], document))
  const unknown = faults.flatMap(({ path, issue }) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [],
  )
  if (unknown.length === 0) return { parsed: undefined, faults, unknown }
  const rest = judge(without(document, unknown), schema)
  return { ...rest, unknown: [...unknown, ...rest.unknown] }
}

/** The faults that an issue holds; of a union's branches, those of the one that the value was meant for. */
function faultsOf(issue: z.core.$ZodIssue, around: Path, document: MapNode): readonly Fault[] {
  const path = [...around, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))]
  if (issue.code === 'invalid_union') {
    const meant = issue.errors
      .filter((branch) => !branch.some(isOtherType))
      .toSorted((a, b) => a.length - b.length)[0]
    if (meant) return meant.flatMap((inner) => faultsOf(inner, path, document))
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => faultsOf(inner, path, document))
  return [{ path, issue, value: valueAt(document, path) }]
}

/** An unknown key beside a missing one, which may be the missing one misspelt. */
function misspelt(missing: Path, unknown: readonly Path[]): string | undefined {
  const name = String(missing.at(-1))
  const beside = unknown.filter((path) => isBeside(path, missing)).map((path) => String(path.at(-1)))
  const meant = nearest(name, beside)
  return meant && `'${meant}' beside it is not known: is '${name}' meant?`
}

const isBeside = (a: Path, b: Path): boolean =>
  a.length === b.length && a.slice(0, -1).every((step, index) => step === b[index])

/** Whether something at or around `path` was reported already. */
function isUnresolved(document: MapNode, path: Path): boolean {
  return path.some((_, index) => valueAt(document, path.slice(0, index + 1)) === UNRESOLVED)
}

/** A copy of a document without the keys that `paths` lead to. */
function without(document: MapNode, paths: readonly Path[]): MapNode {
  const dropped = new Map<Node | undefined, Set<string>>()
  for (const path of paths) {
    const holder = valueAt(document, path.slice(0, -1))
    dropped.set(holder, (dropped.get(holder) ?? new Set()).add(String(path.at(-1))))
  }
  return copyMap(document)

  function copyMap(map: MapNode): MapNode {
    const keys = dropped.get(map)
    const kept = keys ? mapOf(entriesOf(map).filter(([key]) => !keys.has(key))) : map
    return mapValues(kept, copy)
  }

  function copy(node: Node): Node {
    if (isList(node)) return mapItems(node, copy)
    return isMap(node) && node !== UNRESOLVED ? copyMap(node) : node
  }
}
