import type { Path, Site, Speech } from '@svc/domain/contract'
import { among, compileText, placeholdersOf } from '@svc/expression/contract'
import type { Row } from '@svc/store/contract'
import type { Tag } from '../schedule.ts'

/** Compiles the tag of a deed; `otherwise` is what it is where none is written: undefined stands for the planned moment. */
export function compileTag(
  written: string | undefined,
  otherwise: string | undefined,
  path: Path,
  site: Site,
  speech: Speech,
): Tag | undefined {
  if (written === undefined) return { expressions: [], constant: otherwise, of: () => otherwise }
  const paths = [...new Set(placeholdersOf(written))]
  if (paths.length === 0) {
    const constant = compileText(written)(() => null)
    return { expressions: [], constant, of: () => constant }
  }
  const expressions = paths.map((one) => site.expression(one, path, speech))
  const known = expressions.filter((one) => one !== undefined)
  if (known.length < paths.length) return undefined
  const fill = compileText(written)
  return {
    expressions: known,
    constant: undefined,
    of(context) {
      const values: Row = Object.fromEntries(
        paths.map((one, at) => [one, known[at]?.evaluate(context) ?? null]),
      )
      return fill(among(values))
    },
  }
}
