import type { Path } from './problem.ts'

/** Where fields stand; `*` is any key. */
const FIELDS = [
  'domain.properties.*',
  'domain.objects.*.*',
  'domain.resources.*.object.*',
  'domain.blocks.*.fields.*',
].map((path) => path.split('.'))

/** Where groups of fields stand. */
const GROUPS = ['domain.objects.*', 'domain.resources.*.object'].map((path) => path.split('.'))

export const isField = (path: Path): boolean => FIELDS.some((pattern) => matches(path, pattern))

/** Whether `path` leads to a map of fields, which may have a `$merge`. */
export const isGroup = (path: Path): boolean => GROUPS.some((pattern) => matches(path, pattern))

/** Whether `path` leads to one reference of a `$merge`. */
export function isMerged(path: Path): boolean {
  const steps = path.at(-1) === '$ref' ? path.slice(0, -1) : path
  return steps.at(typeof steps.at(-1) === 'number' ? -2 : -1) === '$merge'
}

const matches = (path: Path, pattern: readonly string[]): boolean =>
  path.length === pattern.length && pattern.every((step, index) => step === '*' || step === path[index])
