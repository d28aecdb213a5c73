import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The public API of a package as text: what its entry exports, with its declarations as the compiler wrote them, by name. */
export function apiOf(entry: string): string {
  const found = exportsOf(entry)
  const named = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, declaration]) => declaration)
  return `${[...named, ...augmentsIn(entry)].join('\n\n')}\n`
}

/** The names that a file exports, each with its declaration; what comes from other packages, with where from. */
function exportsOf(file: string): ReadonlyMap<string, string> {
  const statements = statementsIn(file)
  const found = new Map<string, string>()
  for (const statement of statements) {
    const [, name] = DECLARATION.exec(statement) ?? []
    if (name !== undefined) found.set(name, joined(found.get(name), statement))
    const [, all] = /^export \* from '(.+)'/.exec(statement) ?? []
    if (all !== undefined)
      for (const [one, declaration] of exportsOf(beside(file, all))) found.set(one, declaration)
    const [, list, from] = /^export (?:type )?\{(.*?)\}(?: from '(.+)')?/s.exec(statement) ?? []
    for (const [inner, outer] of list === undefined ? [] : namesIn(list))
      found.set(outer, declarationOf(inner, outer, { file, from: from ?? importOf(inner, statements) }))
  }
  return found
}

const DECLARATION = /^export (?:declare )?(?:abstract )?(?:function|const|class|interface|type|enum) ([\w$]+)/

/** Overloads of a function are one. */
const joined = (before: string | undefined, statement: string): string =>
  before === undefined ? statement : `${before}\n${statement}`

/** The declaration of a name that a file hands on, under the name by which it does. */
function declarationOf(
  inner: string,
  outer: string,
  { file, from }: { readonly file: string; readonly from: string | undefined },
): string {
  if (from === undefined) return localOf(inner, file)
  if (!from.startsWith('.')) return `export { ${outer} } from '${from}'`
  const declaration = exportsOf(beside(file, from)).get(inner)
  if (declaration === undefined) throw new Error(`${from} exports no '${inner}', which ${file} hands on`)
  return inner === outer ? declaration : `${declaration} // as ${outer}`
}

const localOf = (name: string, file: string): string =>
  statementsIn(file).find((one) => new RegExp(`^(?:declare )?\\w+ ${name}\\b`).test(one)) ?? name

/** Where a file imports a name from. */
const importOf = (name: string, statements: readonly string[]): string | undefined =>
  statements
    .filter((one) => one.startsWith('import') && new RegExp(`[{,]\\s*(?:type )?${name}\\b`).test(one))
    .map((one) => /from '(.+)'/.exec(one)?.[1])[0]

/** `a, type B as C` as pairs of the inner name and the outer one. */
const namesIn = (list: string): readonly (readonly [string, string])[] =>
  list
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter((one) => one !== '')
    .map((one) => one.split(' as '))
    .map(([inner = '', outer = inner]) => [inner, outer])

/** What an entry, and the files that it hands on, add to the types of other packages. */
function augmentsIn(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return []
  seen.add(file)
  return statementsIn(file).flatMap((one) => {
    const [, next] = /^(?:export|import)\b.* from '(\..+)'/s.exec(one) ?? []
    if (next !== undefined) return augmentsIn(beside(file, next), seen)
    return one.startsWith('declare module') ? [one] : []
  })
}

/** The statements of a declaration file without comments; each begins its line, and what belongs to it is indented. */
const statementsIn = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replaceAll(/^\/\/.*$/gm, '')
    .replaceAll('"', "'")
    .split(/\n(?=[a-z])/)
    .map((one) => one.trim())
    .filter((one) => one !== '')

const beside = (file: string, specifier: string): string =>
  join(dirname(file), specifier).replace(/\.[jt]s$/, '.d.ts')
