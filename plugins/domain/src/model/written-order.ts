import type { Order } from '@svc/store/contract'
import { didYouMean } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import type { Report } from './report.ts'
import type { Resource } from './resource.ts'

const PART = /^(\w+)(?:\s+(asc|desc))?$/i

/** An order as definitions write it: `<field> asc|desc` with commas between, or a list of these. What is wrong is reported. */
export function writtenOrder(
  written: string | readonly string[] | undefined,
  { name: of, fields }: Resource,
  report: Pick<Report, 'problem'>,
  path: Path,
): readonly Order[] {
  const parts = typeof written === 'string' ? written.split(',') : (written ?? [])
  return parts.flatMap((part) => {
    const [, name, direction = 'asc'] = PART.exec(part.trim()) ?? []
    const column = name === undefined ? undefined : fields.get(name)?.column
    if (column !== undefined) return { column, descending: direction.toLowerCase() === 'desc' }
    const stored = [...fields.values()].flatMap((one) => (one.column ? one.name : []))
    const meant = name === undefined ? undefined : didYouMean(name, stored)
    const told = `'${of}' has no stored field '${(name ?? part).trim().slice(0, 60)}'`
    report.problem(path, told, meant ?? 'Write <field> asc|desc')
    return []
  })
}
