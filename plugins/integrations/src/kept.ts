import type { DomainPart, Kept, Mentioning } from '@svc/domain/contract'
import type { Column, Table } from '@svc/store/contract'
import { toldAnew } from './run/actor.ts'
import { openJson, sealJson } from './run/kept-work.ts'
import type { Setting } from './run/means.ts'
import { CONNECTION } from './tables/connections.ts'
import { LETTER } from './tables/dead-letters.ts'
import { ENTRY } from './tables/log.ts'
import { RUN } from './tables/runs.ts'

/** Where values of a resource's records are kept beside them: what was to be sent of an erased one is sent no more. */
export const keepsIn =
  ({ tables }: Pick<Setting, 'tables'>): NonNullable<DomainPart['keeps']> =>
  ({ name }) => {
    const about = (table: Table, resource: Column, recordId: Column, values: readonly Column[]): Kept => ({
      table,
      recordId,
      values,
      where: { op: 'eq', column: resource, value: name },
    })
    return [
      about(tables.runs, RUN.resource, RUN.recordId, [RUN.work, RUN.result, RUN.error]),
      about(tables.letters, LETTER.resource, LETTER.recordId, [LETTER.work, LETTER.error]),
      {
        ...about(tables.log, ENTRY.resource, ENTRY.recordId, [
          ENTRY.url,
          ENTRY.requestBody,
          ENTRY.responseBody,
          ENTRY.errorMessage,
        ]),
        erased: { url: null, requestBody: null, responseBody: null, errorMessage: null },
      },
    ]
  }

/** Where it is kept who has set something off. */
export const actedIn = ({ tables }: Pick<Setting, 'tables'>): NonNullable<DomainPart['acted']> => [
  { table: tables.runs, actor: RUN.actor, settle: toldAnew },
  { table: tables.log, actor: ENTRY.actor, settle: toldAnew },
  {
    table: tables.connections,
    actor: { id: CONNECTION.connectedById, name: CONNECTION.connectedBy },
  },
]

/** Where texts and answers are kept that may speak of any record. */
export function mentionsIn({ tables, parts }: Setting): readonly Mentioning[] {
  const sealed: Pick<Mentioning, 'open' | 'close'> = {
    open: (kept, { kind }) => (kind === 'text' ? openJson(kept, parts.kept) : kept),
    close: (value, _, { kind }) => (kind === 'text' ? sealJson(value, parts.kept) : value),
  }
  return [
    {
      kind: 'integrationLogEntry',
      table: tables.log,
      columns: [ENTRY.url, ENTRY.requestBody, ENTRY.responseBody, ENTRY.errorMessage],
      about: { resource: ENTRY.resource, recordId: ENTRY.recordId },
    },
    {
      kind: 'integrationRun',
      table: tables.runs,
      columns: [RUN.work, RUN.result, RUN.error],
      about: { resource: RUN.resource, recordId: RUN.recordId },
      ...sealed,
    },
    {
      kind: 'deadLetter',
      table: tables.letters,
      columns: [LETTER.work, LETTER.error],
      about: { resource: LETTER.resource, recordId: LETTER.recordId },
      ...sealed,
    },
  ]
}
