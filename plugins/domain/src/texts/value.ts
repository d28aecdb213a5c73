import type { Value } from '@svc/store/contract'
import type { CompiledValue, Speech } from '../contract/site.ts'
import type { Path } from '../definition/problem.ts'
import { buildExpression } from '../model/expression.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import { vocabularyFor } from '../model/vocabulary.ts'
import { compileLocalText } from './text.ts'

/** Something that is worked out, or stands for itself. */
type Part = Omit<CompiledValue, 'written'>

interface Around {
  readonly speech: Speech
  readonly model: Model
  readonly report: Report
}

/** Compiles a value as definitions write them; undefined where it was reported as wrong. */
export function compileValue(written: unknown, path: Path, around: Around): CompiledValue | undefined {
  const part = partOf(written, path, around)
  return part && Object.freeze({ written, ...part })
}

function partOf(written: unknown, path: Path, around: Around): Part | undefined {
  if (typeof written === 'string') return textOf(written, path, around)
  if (Array.isArray(written)) {
    const items = written.map((one, index) => partOf(one, [...path, index], around))
    return gathered(items, (values) => values)
  }
  if (typeof written === 'object' && written !== null) {
    const names = Object.keys(written)
    const parts = Object.entries(written).map(([name, one]) => partOf(one, [...path, name], around))
    return gathered(parts, (values) =>
      Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])),
    )
  }
  return constantOf(typeof written === 'number' || typeof written === 'boolean' ? written : null)
}

const constantOf = (value: Value): Part => ({ expressions: [], isConstant: true, evaluate: () => value })

/** What parts come to together; undefined where one of them was reported. */
function gathered(
  parts: readonly (Part | undefined)[],
  join: (values: readonly Value[]) => Value,
): Part | undefined {
  const known = parts.filter((one) => one !== undefined)
  if (known.length < parts.length) return undefined
  return {
    expressions: known.flatMap(({ expressions }) => expressions),
    isConstant: known.every(({ isConstant }) => isConstant),
    evaluate: (context, shows) => join(known.map((one) => one.evaluate(context, shows))),
  }
}

function textOf(written: string, path: Path, around: Around): Part | undefined {
  if (written.startsWith('$$')) return constantOf(written.slice(1))
  if (written === 'now()' || /^\$[A-Za-z]/.test(written)) return workedOf(written, path, around)
  const isWhole = written.startsWith('$(') && written.endsWith(')')
  // The blank in place of $ leaves faults where they stand.
  return isWhole ? workedOf(` ${written.slice(1)}`, path, around) : filledOf(written, path, around)
}

function workedOf(source: string, path: Path, { speech, model, report }: Around): Part | undefined {
  const expression = buildExpression(source, path, vocabularyFor(speech, model), report)
  return (
    expression && {
      expressions: [expression],
      isConstant: false,
      evaluate: (context, shows) => (shows?.(expression) === false ? null : expression.evaluate(context)),
    }
  )
}

function filledOf(written: string, path: Path, around: Around): Part | undefined {
  const text = compileLocalText(written, path, around.speech, around)
  return (
    text && {
      expressions: text.expressions,
      isConstant: text.expressions.length === 0,
      evaluate: (context, shows) => text.fill(context, undefined, shows),
    }
  )
}
