import { codecOf, type Model } from '@svc/domain/contract'
import { openValue, sealValue, type Value } from '@svc/store/contract'

/** Keeps values as their domain keeps them: what was made of sealed values is sealed too. */
export interface Sealing {
  seal(value: Value): Value
  /** What `seal` made of a value; null where the domain seals nothing any more. */
  open(kept: Value | undefined): Value
}

/** The sealing of a domain: by whatever seals any of its values. */
export const sealingOf = (model: Model): Sealing => ({
  seal: (value) => sealValue({ codec: codecOf(model) }, value),
  open: (kept) => openValue({ codec: codecOf(model) }, kept ?? null),
})
