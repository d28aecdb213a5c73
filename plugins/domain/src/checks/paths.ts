import type { Path } from '../definition/problem.ts'
import { RESERVED_DOMAINS } from '../definition/names.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { pathOf } from './check.ts'

/** Paths are made of plain segments, hold the parameters that something fills, and leave the service's own alone. */
export function paths(model: Model, report: Report): void {
  checkPrefixes(model.definition.api, ['domain', 'api'], report)
  for (const resource of model.resources.values()) {
    checkPrefixes(resource.definition.api, pathOf(resource, 'api'), report)
    checkCollection(resource, report)
    checkNesting(resource, report)
    for (const { path, definedAt } of resource.api.customOperations)
      checkPath(path, [...definedAt, 'path'], ['id'], report)
  }
}

interface Prefixes {
  readonly prefix?: string | undefined
  readonly aliases?: readonly string[] | undefined
}

/** What the service answers by itself. */
const OWN: readonly string[] = [
  ...['health', 'live', 'ready', 'version', 'metrics'].map((name) => `/${name}`),
  ...[...RESERVED_DOMAINS, 'files', 'docs'].map((name) => `/api/v1/${name}`),
]

function checkPrefixes({ prefix, aliases = [] }: Prefixes = {}, at: Path, report: Report): void {
  const written = aliases.map((alias, index) => [alias, [...at, 'aliases', index]] as const)
  for (const [path, place] of prefix === undefined
    ? written
    : [[prefix, [...at, 'prefix']] as const, ...written]) {
    checkPath(path, place, [], report)
    const own = OWN.find((one) => `/${trimmed(path)}/`.startsWith(`${one}/`))
    if (own !== undefined)
      report.problem(place, `'${own}' belongs to the service itself`, 'Choose another path')
  }
}

function checkCollection(resource: Resource, report: Report): void {
  const { collection, path } = resource.definition.api ?? {}
  const at = (key: string) => pathOf(resource, 'api', key)
  const { under } = resource.api
  if (path !== undefined) checkPath(path, at('path'), under ? [under.foreignKey] : [], report)
  if (collection === undefined) return
  checkPath(collection, at('collection'), [], report)
  if (trimmed(collection).includes('/'))
    report.problem(at('collection'), 'a collection is one segment', "Use 'path' for several")
}

function checkNesting(resource: Resource, report: Report): void {
  const { path, under: written, directAccess } = resource.definition.api ?? {}
  const { under } = resource.api
  const at = (key: string) => pathOf(resource, 'api', key)
  if (written === undefined && directAccess !== undefined)
    report.warning(at('directAccess'), "means nothing without 'under': every operation is direct")
  if (under === undefined || path === undefined || path.split('/').includes(`:${under.foreignKey}`)) return
  report.problem(
    at('path'),
    `the path does not say whose '${resource.name}' it is`,
    `Write ':${under.foreignKey}' where the key of the ${under.parent} stands`,
  )
}

const SEGMENT = /^[A-Za-z0-9._~-]+$/
const PARAMETER = /^:([A-Za-z_][A-Za-z0-9_]*)$/

/** Judges a path that may hold the parameters `allowed`, each at most once. */
function checkPath(path: string, at: Path, allowed: readonly string[], report: Report): void {
  const segments = trimmed(path).split('/')
  const odd = segments.find((one) => !PARAMETER.test(one) && (!SEGMENT.test(one) || /^\.+$/.test(one)))
  if (odd !== undefined && trimmed(path) !== '')
    report.problem(
      at,
      odd === '' ? 'a path has no empty segments' : `'${odd}' is no segment of a path`,
      'Write segments of letters, digits and - . _ ~, and parameters as :id',
    )
  const found = segments.flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? [])
  const stray = found.find((name, index) => !allowed.includes(name) || found.indexOf(name) !== index)
  if (stray !== undefined)
    report.problem(
      at,
      `nothing fills ':${stray}' in this path`,
      allowed.length === 0 ? 'Write it without parameters' : `Write :${allowed.join(', :')} once`,
    )
}

const trimmed = (path: string): string => path.replace(/^\/|\/$/g, '')
