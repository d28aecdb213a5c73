import { isList, isMap, type MapNode, type Node, UNRESOLVED, valueAt } from '../definition/document.ts'
import type { Reading } from '../definition/load.ts'
import type { Path } from '../definition/problem.ts'
import type { Soundness } from '../model/report.ts'

/**
 * Tells what the model says rightly of a definition that is at fault. A fault of name or shape hides nothing but what
 * is said of its own place, and of what had to be left out for it. Where something could not be read at all, nothing is
 * known of its resource.
 */
export function soundness({
  resolved,
  faults: { misnamed, misshapen },
  broken,
}: Pick<Reading, 'resolved' | 'faults' | 'broken'>): Soundness {
  const isWhole = withoutBroken(resolved, [...broken, ...misshapen.filter(isVital)])
  const gone = misshapen.map((path) => goneAt(path, resolved))
  const leansOn = createLeaning(resolved)
  return (path, message) =>
    isWhole(path) &&
    !misnamed.some((place) => isSame(place, path)) &&
    !misshapen.some((place) => isInside(path, place) || decides(place, path)) &&
    !isAbout(gone, path, quotedIn(message), leansOn)
}

const isAbout = (gone: readonly Gone[], path: Path, quoted: readonly string[], leansOn: Leaning): boolean =>
  quoted.length > 0 && gone.some((one) => speaksOf(one, path, quoted, leansOn))

/** A message quotes the names that it is about. */
const quotedIn = (message: string): readonly string[] =>
  [...message.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)

/** Sections of a resource without which what the rest means is anybody's guess. */
const VITAL: readonly unknown[] = ['object', 'relationships', 'computed', 'stateMachine']

/** Whether a whole section is gone that the rest of the resource, or of the domain, leans on. */
const isVital = ([, section, name, part, ...further]: Path): boolean => {
  if (section !== 'resources') return name === undefined
  return part === undefined || (further.length === 0 && VITAL.includes(part))
}

const isInside = (inner: Path, outer: Path): boolean =>
  inner.length >= outer.length && outer.every((step, index) => step === inner[index])

const isSame = (a: Path, b: Path): boolean => a.length === b.length && isInside(a, b)

/** Whether what is said of the place around a fault depends on it: of an entry, and of a resource that may answer elsewhere. */
const decides = (fault: Path, around: Path): boolean =>
  isInside(fault, around) && (around.length >= ENTRY || fault[3] === 'api')

/** How long the path to an entry of a resource is: `domain.resources.Post.object.title`. */
const ENTRY = 5

/** What the model lacks since a part of the text was left out. */
interface Gone {
  /** Undefined where it is not part of a resource. */
  readonly resource: string | undefined
  /** Everything that is named in it, and what it may have brought by itself. */
  readonly names: ReadonlySet<string>
}

function goneAt(path: Path, document: MapNode): Gone {
  const [, section, name, part, entry, attribute] = path
  const names = new Set([String(path.at(-1)), ...namesIn(valueAt(document, path))])
  if (section !== 'resources') return { resource: undefined, names: names.add(String(name)) }
  // Without these a field is another one, and without its key a resource is.
  if (attribute === 'type' || attribute === 'computed') names.add(String(entry))
  if (attribute === 'primaryKey') names.add(String(name))
  if (part === 'relationships') names.add(`${String(entry)}Id`)
  return { resource: String(name), names }
}

function* namesIn(node: Node | undefined): Iterable<string> {
  if (typeof node === 'string') yield node
  else if (isList(node)) for (const item of node) yield* namesIn(item)
  else if (isMap(node))
    for (const [key, value] of Object.entries(node)) {
      yield key
      yield* namesIn(value)
    }
}

function speaksOf(
  { resource, names }: Gone,
  path: Path,
  quoted: readonly string[],
  leansOn: Leaning,
): boolean {
  if (!quoted.some((name) => names.has(name))) return false
  const [, section, name] = path
  if (resource === undefined || section !== 'resources' || name === resource) return true
  return leansOn(String(name), resource)
}

/** Whether one resource names another. */
type Leaning = (resource: string, other: string) => boolean

function createLeaning(document: MapNode): Leaning {
  const known = new Map<string, boolean>()
  return (resource, other) => {
    const key = JSON.stringify([resource, other])
    const leans =
      known.get(key) ?? mentions(valueAt(document, ['domain', 'resources', resource]), new Set([other]))
    known.set(key, leans)
    return leans
  }
}

/** The places that have nothing to do with what is broken: neither their resource nor what it names, nor their section. */
function withoutBroken(document: MapNode, broken: readonly Path[]): (path: Path) => boolean {
  if (broken.length === 0) return () => true
  const resources = valueAt(document, ['domain', 'resources'])
  const named = new Set(
    broken.flatMap(([, section, name]) => (name === undefined ? [] : [String(name), section])),
  )
  const sections = new Set(broken.map(([, section]) => section))
  const known = new Map<unknown, boolean>()
  const isSoundResource = (name: string | number) =>
    !named.has(String(name)) && isMap(resources) && !mentions(resources[name], named)
  return ([, section, name]) => {
    if (section !== 'resources') return !sections.has(section)
    if (name === undefined) return !sections.has('resources')
    const sound = known.get(name) ?? isSoundResource(name)
    known.set(name, sound)
    return sound
  }
}

/** Whether a text in `node` is one of `names`, or something in it could not be resolved. */
function mentions(node: Node | undefined, names: ReadonlySet<unknown>): boolean {
  if (node === UNRESOLVED) return true
  if (isList(node)) return node.some((item) => mentions(item, names))
  if (isMap(node)) return Object.values(node).some((value) => mentions(value, names))
  return typeof node === 'string' && names.has(node)
}
