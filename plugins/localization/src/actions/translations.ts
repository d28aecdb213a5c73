import type { Model } from '@svc/domain/contract'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Imports } from '../catalogue/imports.ts'

/** What the actions of a domain work with. */
export interface Translations {
  readonly model: Model
  readonly catalogue: Catalogue
  readonly imports: Imports
  /** Who may. */
  readonly access: readonly string[]
}
