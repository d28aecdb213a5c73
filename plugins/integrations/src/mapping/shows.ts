import { type Expression, type Facts, type Model, showingWhole } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Reader } from '@svc/store/contract'
import type { Seer } from '../wire/asked.ts'
import { mayFind } from './found.ts'
import type { Shows } from './mapping.ts'

/**
 * Which expressions somebody may be told the values of, as they are sent, which `found` says: by the record, by those that it leads
 * to, and by what they look for in others.
 */
export async function showsTo(
  { caller, accessOf }: Seer,
  facts: Facts,
  expressions: readonly Expression[],
  model: Model,
  reader: Reader,
  found: EvaluationContext,
): Promise<Shows> {
  const shows = await showingWhole(caller, facts, expressions, reader, found)
  return (expression) => shows(expression) && mayFind(expression, model, accessOf)
}
