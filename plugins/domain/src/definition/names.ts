import { nearest } from '@svc/kernel'
import { isMap, type MapNode, type Node } from './document.ts'
import { type Path, type Problem, problem } from './problem.ts'

/** What a domain may not be called, since these paths are taken. */
export const RESERVED_DOMAINS: readonly string[] = [
  'auth',
  'users',
  'admin',
  'domains',
  'status',
  'plugins',
  'routes',
  'version',
  'openapi',
  'echo',
]

/** A domain's name, in lower case. */
export const DOMAIN_NAME = /^[a-z][a-z0-9-]{0,39}$/
/** The name of a resource, an enumeration or a relationship. */
export const ENTITY_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/
export const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

const FORBIDDEN = new Set(['__proto__', 'prototype', 'constructor'])

/** Whether no domain may have this name, in lower case, though it has the form of one. */
export const isReservedDomain = (name: string): boolean =>
  RESERVED_DOMAINS.includes(name) || FORBIDDEN.has(name)

/** Whether `key` names an object's prototype; no map of a definition may have it. */
export const isForbiddenKey = (key: string): boolean => FORBIDDEN.has(key)

const forbidden = (name: string): string => `${quoted(name)} names a part of every object`
const FORBIDDEN_HINT = 'Choose another name'

/** What is wrong with a name that stands as a value; undefined where it may be used for `what`. */
export function nameFault(
  name: string,
  what: string,
  shape = /(?:)/,
): { readonly message: string; readonly hint: string } | undefined {
  if (isForbiddenKey(name)) return { message: forbidden(name), hint: FORBIDDEN_HINT }
  return shape.test(name) ? undefined : { message: `${quoted(name)} is no name for ${what}`, hint: NAME_HINT }
}

const NAME_HINT = 'Write a letter or an underscore, then up to 62 letters, digits and underscores'

/** What is wrong with the names of a resolved definition. */
export function nameProblems(document: MapNode): readonly Problem[] {
  const domain = document['domain']
  if (!isMap(domain)) return []
  return [
    ...domainProblems(domain['name']),
    ...keysOf(domain, 'enums').flatMap((name) => entityProblem('an enumeration', ['domain', 'enums', name])),
    ...resourceProblems(domain['resources']),
  ]
}

function domainProblems(name: Node | undefined): readonly Problem[] {
  const path = ['domain', 'name']
  if (typeof name !== 'string') return []
  const lower = name.toLowerCase()
  if (isForbiddenKey(lower)) return [problem(path, forbidden(name), undefined, FORBIDDEN_HINT)]
  if (RESERVED_DOMAINS.includes(lower))
    return [problem(path, `'${name}' is reserved`, undefined, `Taken are ${RESERVED_DOMAINS.join(', ')}`)]
  if (DOMAIN_NAME.test(lower)) return []
  const hint = 'Write a letter, then up to 39 letters, digits and hyphens'
  return [problem(path, `${quoted(name)} is no name for a domain`, undefined, hint)]
}

function resourceProblems(resources: Node | undefined): readonly Problem[] {
  if (!isMap(resources)) return []
  const names = Object.keys(resources)
  const path = ['domain', 'resources']
  if (names.length === 0) return [problem(path, 'A domain has at least one resource')]
  return names.flatMap((name) => {
    const at = [...path, name]
    const resource = resources[name]
    return [
      ...entityProblem('a resource', at),
      ...['object', 'computed'].flatMap((block) =>
        keysOf(resource, block).flatMap((field) => fieldProblem([...at, block, field])),
      ),
      ...keysOf(resource, 'relationships').flatMap((one) =>
        entityProblem('a relationship', [...at, 'relationships', one]),
      ),
    ]
  })
}

const entityProblem = (what: string, path: Path): readonly Problem[] =>
  mismatch(path, ENTITY_NAME, what, 'Write a letter, then up to 62 letters, digits and underscores')

const fieldProblem = (path: Path): readonly Problem[] => mismatch(path, FIELD_NAME, 'a field', NAME_HINT)

function mismatch(path: Path, shape: RegExp, what: string, hint: string): readonly Problem[] {
  const name = String(path.at(-1))
  return shape.test(name) ? [] : [problem(path, `${quoted(name)} is no name for ${what}`, undefined, hint)]
}

const keysOf = (node: Node | undefined, key: string): readonly string[] => {
  const inner = isMap(node) ? node[key] : undefined
  return isMap(inner) ? Object.keys(inner) : []
}

/** Text of an author, short enough for a message. */
export const quoted = (text: string): string => `'${text.length > 60 ? `${text.slice(0, 57)}…` : text}'`

/** A word with its article: `an integer`, `a uuid`. */
export const withArticle = (word: string): string => `${/^[aeio]/i.test(word) ? 'an' : 'a'} ${word}`

/** Steps that one hint may take: a definition may call for a hundred of them. */
const MAX_HINT_WORK = 200_000

/** The known name that is spelt nearly as `name`. */
export function nearlySpelt(name: string, known: Iterable<string>): string | undefined {
  const candidates = [...known]
  // The distance of two names takes time that grows with the product of their lengths.
  return candidates.length * name.length ** 2 > MAX_HINT_WORK ? undefined : nearest(name, candidates)
}

/** "Did you mean …", where a known name is close to `name`. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const meant = nearlySpelt(name, known)
  return meant === undefined ? undefined : `Did you mean '${meant}'?`
}
