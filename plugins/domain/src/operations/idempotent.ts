import type { Call, Reply } from '@svc/kernel'
import type { Codec } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import { keptOnce, type WriteOnce } from '../write/once.ts'
import type { RecordInput, Surroundings } from './operation.ts'

/** Runs a write of a record, once for each `Idempotency-Key`. */
export const idempotent = (
  { model, runtime }: Pick<Surroundings, 'model' | 'runtime'>,
  name: string,
  input: RecordInput,
  call: Call,
  write: WriteOnce,
): Promise<Reply> => {
  const named = { name, path: [input.path, input.id], sent: input.data, codec: codecOf(model) }
  return keptOnce(runtime, named, call, write)
}

const codecs = new WeakMap<Model, { readonly codec: Codec | undefined }>()

/** What seals the answers of a domain: what a part says, or whatever seals any of its values. */
export const codecOf = (model: Model): Codec | undefined =>
  model.parts.find(({ part }) => part.seals)?.part.seals ?? codecOfColumns(model)

function codecOfColumns(model: Model): Codec | undefined {
  const known = codecs.get(model)
  if (known !== undefined) return known.codec
  const columns = [...model.resources.values()].flatMap((resource) => resource.columns)
  const first = columns.find((column) => column.codec !== undefined)?.codec
  const codec = first?.mixed ?? first
  codecs.set(model, { codec })
  return codec
}
