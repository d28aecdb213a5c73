import { type Access, type Data, recordFor, seesThrough } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'

/** Whoever reads a ledger: what it shows of records is what this caller may read of them. */
export interface LedgerReader {
  readonly call: Call
  readonly data: Data
  /** The rights of the reader on a resource; undefined where the domain has none of this name any more. */
  access(resource: string): Access | undefined
  /** A record that was kept, as an answer would show it, without what is masked; null where there is none to show. */
  record(resource: string | null, kept: Row | null): Row | null
  /** Whether the reader may be told a value beside which `veilOf` has kept this. */
  sees(veil: Value | undefined): boolean
}

/** Makes the reader of one request. */
export function ledgerReader(data: Data, call: Call): LedgerReader {
  const access = (name: string): Access | undefined => {
    const resource = data.model.resources.get(name)
    return resource && data.access(resource, call.caller)
  }
  return {
    call,
    data,
    access,
    sees: (veil) => seesThrough(veil, data.model, (resource) => data.access(resource, call.caller)),
    record(resource, kept) {
      const rights = resource === null ? undefined : access(resource)
      return rights === undefined || kept === null ? null : keptRecord(kept, rights)
    },
  }
}

/** What one who has `access` may see of a record that was kept: values that an answer would not show are left out. */
export const keptRecord = (kept: Row, { caller, resource, now }: Access): Row =>
  recordFor(caller, resource, kept, now)
