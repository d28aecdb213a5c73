import type { Expression, Path, Site, Speech } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import { compileEntry, compileMapping, shown, type Shows } from '../mapping/mapping.ts'
import { isMap } from '../wire/maps.ts'

/** A body that is mapped. */
export interface CompiledBody {
  readonly expressions: readonly Expression[]
  evaluate(context: EvaluationContext, shows?: Shows): Value | undefined
}

/** Compiles a body, a map entry by entry; undefined where something is wrong, which is reported. */
export function compileBody(
  body: Value | undefined,
  path: Path,
  site: Site,
  speech: Speech,
): CompiledBody | undefined {
  if (body === undefined || body === null) return { expressions: [], evaluate: () => undefined }
  if (isMap(body)) return compileMapping(body, path, site, speech)
  const value = compileEntry(body, path, site, speech)
  return (
    value && { expressions: value.expressions, evaluate: (context, shows) => shown(value, context, shows) }
  )
}
