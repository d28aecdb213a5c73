import { type Documentation, domainAction, type DomainAction, type RecordInput } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import type { Condition, Reader, Row } from '@svc/store/contract'
import type { Ledger, LedgerWindow } from './ledger.ts'
import { documentedQuery, holds, narrowedBy, parametersOf } from './query.ts'
import { ledgerReader } from './reader.ts'
import { listAnswer, schemaOf } from './schema.ts'
import type { Window } from './window.ts'

/** The actions by which administrators look at a ledger: its list, and one entry. */
export function ledgerWindow(window: LedgerWindow): Window {
  const { get } = window
  return {
    actions: [listAction(window), ...(get === undefined ? [] : [getAction(window, get)])],
    openapi: documented(window),
  }
}

function listAction({
  ledger,
  words,
  list,
  inList = ledger,
  readers = ['admin'],
  within,
}: LedgerWindow): DomainAction {
  const [, many] = words
  const order = [ledger.at, ledger.id].map((one) => ({ column: one, descending: true }))
  return domainAction<RecordInput>({
    name: list.name,
    summary: `List ${many}, the newest first`,
    access: readers,
    routes: [`GET ${list.path}`],
    output: listAnswer(inList.entry),
    handle(input, call, data) {
      const { query = {} } = input
      const around = within?.(input, call) ?? []
      const reader = ledgerReader(data, call)
      const asked = {
        query,
        parameters: parametersOf(ledger),
        where: [...around, ...narrowedBy(query, ledger)],
        order,
        present: (row: Row) => inList.present(row, reader),
      }
      return data.list(ledger.table, asked, call)
    },
  })
}

function getAction(
  { ledger, words: [one], list, readers = ['admin'], within }: LedgerWindow,
  name: string,
): DomainAction {
  return domainAction<RecordInput>({
    name,
    summary: `Read ${one}`,
    access: readers,
    routes: [`GET ${list.path}/:id`],
    output: ledger.entry,
    async handle(input, call, data) {
      const around = within?.(input, call) ?? []
      const found = await entryOf(input.id ?? '', ledger, data.reader, one, around)
      return ledger.present(found, ledgerReader(data, call))
    },
  })
}

/** The row of an entry, among those that fulfil `within`. Throws NOT_FOUND. */
export async function entryOf(
  id: string,
  ledger: Ledger,
  reader: Reader,
  one: string,
  within: readonly Condition[] = [],
): Promise<Row> {
  const [row] = await reader.select({
    table: ledger.table,
    columns: ledger.table.columns,
    where: { op: 'and', of: [holds(ledger.id, id), ...within] },
    order: [],
    limit: 1,
  })
  if (row === undefined) throw errors.NOT_FOUND({ message: `There is no ${bare(one)} '${id.slice(0, 50)}'` })
  return row
}

/** `a firing` without its article. */
const bare = (one: string): string => one.replace(/^an? /, '')

function documented({ ledger, schema, words, list, get, inList }: LedgerWindow): Documentation {
  const [one, many] = words
  const listed = inList === undefined ? schema : `${schema}Listed`
  return {
    schemas: {
      [schema]: schemaOf(ledger.entry),
      ...(inList && { [listed]: schemaOf(inList.entry) }),
    },
    operations: {
      [list.name]: {
        description: `Lists ${many}, the newest first. Of records you see what you may read.`,
        query: documentedQuery(ledger),
        answers: {
          description: `One part of ${many}`,
          items: { $ref: `#/components/schemas/${listed}` },
        },
        failures: [400],
      },
      ...(get !== undefined && {
        [get]: {
          answers: { description: capital(one), data: { $ref: `#/components/schemas/${schema}` } },
          failures: [404],
        },
      }),
    },
  }
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
