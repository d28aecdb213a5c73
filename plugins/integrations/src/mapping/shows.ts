import { type Expression, type Facts, type Model, showingTo } from '@svc/domain/contract'
import type { Reader } from '@svc/store/contract'
import type { Seer } from '../wire/asked.ts'
import { mayFind } from './found.ts'
import type { Shows } from './mapping.ts'

/** Which expressions somebody may be told the values of: by the record, and by what they look for in others. */
export async function showsTo(
  { caller, accessOf }: Seer,
  facts: Facts,
  expressions: readonly Expression[],
  model: Model,
  reader: Reader,
): Promise<Shows> {
  const { shows } = await showingTo(caller, facts, expressions, reader)
  return (expression) => shows(expression) && mayFind(expression, model, accessOf)
}
