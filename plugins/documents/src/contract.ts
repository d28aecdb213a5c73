import type { Asker, Data, Model, Parameter } from '@svc/domain/contract'
import { type Caller, capability } from '@svc/kernel'
import type { Value } from '@svc/store/contract'

/** Documents of a domain: plugins have files of their own kept among them. */
export interface Documents {
  /**
   * Keeps files of a kind, such as `report`: the action of schedules that is called so has one made, as a document whose
   * templateName is `<kind>:<name>`. Answers how the plugin tells which there are in a model, while it compiles that. Only
   * during set-up; a taken kind is an error.
   */
  keeps(kind: string): (model: Model, all: readonly KeptFile[]) => void
}

/** What files are made of. */
export interface KeptFile {
  /** A letter, and up to 62 letters, digits and _. */
  readonly name: string
  readonly parameters: readonly Parameter[]
  /** What is written of it: documents tell by a checksum whether it has changed. */
  readonly definition: unknown
  /** Who sees its documents: by role, or as the plugin judges a caller. */
  readonly view:
    | { readonly roles: readonly string[] }
    | { readonly roles?: undefined; admits(caller: Caller): boolean }
  /** Makes the file: a PDF. Throws RENDER_FAILED, and UNAVAILABLE for what may be tried again. */
  make(making: MakingFile): Promise<ReadyFile>
}

/** What a file is made with. */
export interface MakingFile {
  readonly data: Data
  /** The system. */
  readonly asker: Asker
  readonly parameters: Readonly<Record<string, Value>>
}

export interface ReadyFile {
  readonly filename: string
  readonly bytes: Uint8Array
  /** The locale that it is in. */
  readonly locale: string
}

/** The server's documents. */
export const DocumentsCapability = capability<Documents>('documents')
