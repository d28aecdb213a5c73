import type { Path } from '../definition/problem.ts'
import type { ResourceDefinition, ValidationDefinition } from '../definition/schema/resource.ts'
import type { Text } from '../definition/schema/text.ts'
import type { Expression, Vocabulary } from '@svc/expression/contract'
import { buildCondition } from './expression.ts'
import type { Report } from './report.ts'

/** What has to be true of a record before it is written. */
export interface ValidationRule {
  /** Named in answers; `expression` where the definition gives no name. */
  readonly name: string
  readonly expression: Expression
  readonly message: Text | undefined
  /** The fields that a failure is told at. */
  readonly fields: readonly string[]
  readonly on: readonly ('create' | 'update')[]
}

/** Compiles the validation rules of a resource. */
export function buildValidation(
  { validation = [] }: ResourceDefinition,
  path: Path,
  vocabulary: Vocabulary,
  report: Report,
): readonly ValidationRule[] {
  return listed(validation).flatMap(([key, rule, expressionPath]) => {
    const { name = 'expression', message, fields = [], on = ['create', 'update'] } = rule
    const at = [...path, 'validation', key, ...expressionPath]
    const expression = buildCondition(rule.expression, at, vocabulary, report)
    return expression ? Object.freeze({ name, expression, message, fields, on }) : []
  })
}

type Listed = readonly [key: string | number, rule: ValidationDefinition, expressionPath: Path]

/** The rules of both forms, with their keys and the way from a key to the expression. */
function listed(validation: NonNullable<ResourceDefinition['validation']>): readonly Listed[] {
  if (Array.isArray(validation)) return validation.map((rule, at) => [at, rule, ['expression']])
  return Object.entries(validation).map(([name, rule]) =>
    typeof rule === 'string'
      ? [name, { name, expression: rule }, []]
      : [name, { name, ...rule }, ['expression']],
  )
}
