import type { Model } from '@svc/domain/contract'
import type { Transaction } from '@svc/store/contract'
import type { Means } from '../means.ts'
import { keepPromise, type Promised } from './promises.ts'

/** Promises a document, in a transaction that the caller commits: it comes after that. Answers the id that it will have. */
export async function promise(
  transaction: Transaction,
  model: Model,
  promised: Omit<Promised, 'id'>,
  { generating, newId, env }: Pick<Means, 'generating' | 'newId' | 'env'>,
): Promise<string> {
  const id = newId()
  await keepPromise(transaction, model, { id, ...promised }, new Date(env.now()).toISOString())
  await generating().put(transaction, { domain: model.name, id }, { key: id })
  return id
}
