import type { WriteRemarks } from '@svc/domain/contract'
import type { Parts } from '../parts.ts'
import { failureOf } from '../shared/failures.ts'
import { paragraphs } from '../text.ts'
import type { RecordOperation } from './operation.ts'

type Write = keyof WriteRemarks

/** What operations do to records, where their method does not say it. */
const WRITES: Readonly<Record<string, readonly Write[]>> = {
  create: ['create'],
  import: ['create'],
  related: [],
  link: [],
  unlink: [],
}

const OF_MANY: Readonly<Record<string, readonly Write[]>> = {
  POST: ['create', 'update'],
  PATCH: ['update'],
  DELETE: ['delete'],
}

/** What an operation does to records of its resource. */
function writesOf({ operation, method }: RecordOperation): readonly Write[] {
  if (method === 'GET') return []
  if (operation === 'bulk') return OF_MANY[method] ?? []
  return WRITES[operation] ?? [method === 'DELETE' ? 'delete' : 'update']
}

/** The parts of an operation with what keys of the domain add to such writes. */
export function withRemarks(parts: Parts, operation: RecordOperation, all: readonly WriteRemarks[]): Parts {
  const kinds = writesOf(operation)
  const remarks = all.flatMap((one) => kinds.map((kind) => one[kind])).filter((one) => one !== undefined)
  if (remarks.length === 0) return parts
  const texts = new Set([parts.description ?? '', ...remarks.map(({ description }) => description)])
  const failures = remarks.flatMap((one) => (one.failures ?? []).flatMap((status) => failureOf(status) ?? []))
  return {
    ...parts,
    description: paragraphs(...texts),
    failures: [...new Set([...(parts.failures ?? []), ...failures])],
  }
}
