import type { Call, Reply } from '@svc/kernel'
import type { Codec } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import { keptOnce, type WriteOnce, type Written } from '../write/once.ts'
import type { RecordInput, Surroundings } from './operation.ts'

/** Runs a write of a record, once for each `Idempotency-Key`. */
export const idempotent = <W extends Written | Promise<Written>>(
  { model, runtime }: Pick<Surroundings, 'model' | 'runtime'>,
  name: string,
  input: RecordInput,
  call: Call,
  write: WriteOnce<W>,
): W | Promise<Awaited<W> | Reply> => {
  const named = {
    name,
    path: [input.path, input.id],
    sent: input.data,
    codec: codecOf(model),
    domain: model.name,
  }
  return keptOnce(runtime, named, call, write)
}

const codecs = new WeakMap<Model, Pick<Model, 'parts'> & { readonly codec: Codec | undefined }>()

/** What seals the answers of a domain: what a part says, or whatever seals any of its values. */
export function codecOf(model: Model): Codec | undefined {
  const known = codecs.get(model)
  if (known !== undefined && known.parts === model.parts) return known.codec
  const codec = model.parts.find(({ part }) => part.seals)?.part.seals ?? codecOfColumns(model)
  codecs.set(model, { parts: model.parts, codec })
  return codec
}

function codecOfColumns(model: Model): Codec | undefined {
  const columns = [...model.resources.values()].flatMap((resource) => resource.columns)
  const first = columns.find((column) => column.codec !== undefined)?.codec
  return first?.mixed ?? first
}
