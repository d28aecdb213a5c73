import type { Sink } from '../../kit/sink.ts'
import type { TestKernel } from '../../kit/test-kernel.ts'

export const OPERATIONS = [
  'get',
  'list',
  'create',
  'update',
  'delete',
  'transition',
  'custom',
  'export',
  'automate',
] as const
export type Operation = (typeof OPERATIONS)[number]

/** Somebody's records, of which each door takes one of its own, and what is free beside them. */
export interface Case {
  readonly name: string
  /** What leaves the server. */
  readonly sink: Sink
  readonly server: TestKernel
  readonly tag: string
  readonly person: string
  readonly folder: string
  readonly notes: ReadonlyMap<string, string>
  /** The version of a note to which that is reverted: it is the person's in either. */
  readonly version: number
  /** Does something while nothing is restricted. */
  lifted<T>(work: () => Promise<T>): Promise<T>
  send(method: string, path: string, body?: unknown): Promise<any>
  note(door: string): string
  /** How many lines were written of a note. */
  lines(door: string): Promise<number>
}

export interface Door {
  /** The operations that keep it from the person's records when they are restricted. */
  readonly kept: readonly Operation[]
  /** Sets something off, which is done before anybody looks. */
  begin?(one: Case): Promise<unknown>
  /** Goes through; answers whether the record was kept from it, or what went wrong. */
  isKept(one: Case): Promise<boolean | string>
}

/** One record is 403 RESTRICTED, and nothing but that or success. */
export const refused =
  (method: string, path: (one: Case) => string, body?: (one: Case) => unknown) => async (one: Case) => {
    const answer = await one.send(method, path(one), body?.(one))
    if (answer.status === 403 && answer.body.error_code === 'RESTRICTED') return true
    return answer.status < 300 ? false : `${answer.status} ${answer.body.error_code}`
  }
