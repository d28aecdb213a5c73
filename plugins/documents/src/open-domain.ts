import type { Data } from '@svc/domain/contract'
import type { KeptFiles } from './kept/kept.ts'
import type { Template } from './compile/template.ts'
import type { DocumentStorage } from './storage.ts'
import type { Templates } from './view.ts'

/** A domain that is in force on this server. */
export interface OpenDomain {
  readonly data: Data
  readonly templates: ReadonlyMap<string, Template>
  /** What other plugins make documents of. */
  readonly kept: KeptFiles
  /** All that documents are made of. */
  readonly viewed: Templates
  readonly storage: DocumentStorage
  /** Whether its documents have addresses. */
  readonly isReachable: boolean
  /** Takes away documents whose time is over, and bytes that none is about. */
  sweep(signal: AbortSignal): Promise<void>
}
