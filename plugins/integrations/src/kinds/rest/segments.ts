import type { Expression, Path, Site, Speech } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { mappingFault } from '../../wire/fault.ts'
import type { Shows } from '../../mapping/mapping.ts'

/** The path of a request, with values in it. */
export interface CompiledPath {
  readonly expressions: readonly Expression[]
  /** The path as it is sent. Throws VALIDATION_ERROR where a value makes a segment that leads elsewhere. */
  evaluate(context: EvaluationContext, shows?: Shows): string
}

/** Slashes between segments: those in braces belong to an expression. */
const SEGMENT = /(?:\{[^{}]*\}|[^/{}])*/g

/** Compiles a path; undefined where something is wrong, which is reported. */
export function compilePath(
  written: string,
  path: Path,
  site: Site,
  speech: Speech,
): CompiledPath | undefined {
  const fault = faultOf(written)
  if (fault !== undefined) {
    site.problem(path, ...fault)
    return undefined
  }
  const texts = segmentsOf(written.slice(1))
  const segments = texts.map((text) => (text.includes('{') ? site.text(text, path, speech) : text))
  const known = segments.filter((one) => one !== undefined)
  if (known.length < segments.length) return undefined
  return {
    expressions: known.flatMap((one) => (typeof one === 'string' ? [] : one.expressions)),
    evaluate: (context, shows) =>
      known
        .map((one) => {
          if (typeof one === 'string') return `/${one}`
          const isShown = shows === undefined || one.expressions.every((each) => shows(each))
          return `/${encoded(isShown ? one.fill(context) : (shows.mask ?? '***'))}`
        })
        .join(''),
  }
}

function faultOf(written: string): readonly [message: string, hint?: string] | undefined {
  if (!written.startsWith('/')) return ["must begin with '/'"]
  const literal = written.replace(/\{[^{}]*\}/g, 'x')
  if (/[?#]/.test(literal)) return ['is a path alone', "Write query parameters under 'query'"]
  if (/[\s\\]/.test(literal)) return ['must not have blanks or backslashes']
  return literal.split('/').some((one) => /^(?:\.|%2e){1,2}$/i.test(one))
    ? ["must not have the segments '.' and '..'"]
    : undefined
}

const segmentsOf = (text: string): readonly string[] => {
  const found: string[] = []
  for (let at = 0; at <= text.length; at += (found.at(-1)?.length ?? 0) + 1) {
    SEGMENT.lastIndex = at
    found.push(SEGMENT.exec(text)?.[0] ?? '')
  }
  return found
}

/** One segment (RFC 3986, section 3.3), which stays where it is. */
function encoded(value: string): string {
  if (value === '' || value === '.' || value === '..')
    throw mappingFault('path', value === '' ? 'a value in the path is empty' : `'${value}' is no segment`)
  return encodeURIComponent(value.toWellFormed())
}
