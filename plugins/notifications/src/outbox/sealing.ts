import { codecOf, type Model } from '@svc/domain/contract'
import { openValue, sealValue, type Value } from '@svc/store/contract'

/** Keeps values as their domain keeps them: what was made of sealed values is sealed too. */
export interface Sealing {
  seal(value: Value): Value
  /** What `seal` made of a value; null where the domain seals nothing any more. */
  open(kept: Value | undefined): Value
}

const known = new WeakMap<Model, Sealing>()

/** The sealing of a domain: by whatever seals any of its values. */
export function sealingOf(model: Model): Sealing {
  const found = known.get(model)
  if (found !== undefined) return found
  const codec = codecOf(model)
  const made: Sealing = {
    seal: (value) => sealValue({ codec }, value),
    open: (kept) => openValue({ codec }, kept ?? null),
  }
  known.set(model, made)
  return made
}
