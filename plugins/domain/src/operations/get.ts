import { NO_REACH } from '@svc/expression/contract'
import { errors, ignoredBy, JsonText, Reply } from '@svc/kernel'
import { type Column, type Row, TEXT } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import { VERSION } from '../model/table.ts'
import { contentTag, etag, names } from '../present/etag.ts'
import { presentRecord } from '../present/record.ts'
import { selection } from '../query/fields.ts'
import { type Included, includes, isNothing, textColumns } from '../query/include.ts'
import { allOf, isKey } from '../query/live.ts'
import { assertReachable } from '../query/reachable.ts'
import { neighboursIfAny } from '../reach/neighbours.ts'
import { withValues, workedFields } from '../reach/worked.ts'
import { reachableRows } from '../query/scope.ts'
import { withStarts } from '../query/plan.ts'
import { belongsTo, parentOf } from './parent.ts'
import { embed, embedInTexts } from './embed.ts'
import { keyFrom } from '../query/key.ts'
import type { Reading } from './read-list.ts'
import { accessOf, bindRecord, notesOf, type Operation, type RecordInput, routesOf } from './operation.ts'

/** Answers one record. */
export const get: Operation = (around) => {
  const { resource, runtime } = around
  return {
    name: `${resource.actionPrefix}get`,
    summary: `Get one ${resource.name}`,
    access: actionAccess(resource, 'get'),
    routes: routesOf(resource, 'GET', '/:id', ['get']),
    bind: bindRecord,
    notes: notesOf(around, 'get'),
    async handle(input: RecordInput, call) {
      const { id, query = {} } = input
      const access = accessOf(around, call)
      const key = keyFrom(resource, id)
      const ignored = ignoredBy(call.request?.meta('prefer'), call.warn)
      for (const name in query) if (!KNOWN.has(name)) ignored('query', name)
      const included = includes(query['include'], access, ignored, query['fields'])
      const fields = selection(query['fields'], access, ignored, undefined, included)
      const deciding = access.deciding('get')
      const parent = parentOf(around, input, call)
      const worked = workedFields(fields, access)
      const plain = worked ? worked.before : fields
      const text = plain && textColumns(plain, included, access)
      const shown = withStarts(text === undefined ? access.columns(fields) : NONE, included, access)
      const [row] = await runtime.store.select({
        table: resource.table,
        columns: besides(shown, deciding),
        ...(text && { text }),
        ...(worked && { worked: worked.worked }),
        where: allOf([
          isKey(resource, key),
          ...reachableRows(query['scope'], access, ignored),
          ...belongsTo(parent && (await parent)),
        ]),
        order: [],
      })
      if (row === undefined) throw errors.NOT_FOUND({ message: `There is no ${resource.name} '${key}'` })
      const reading = { reader: runtime.store, access } as const
      const judged = neighboursIfAny(row, access.reaching('get'), { ...reading, rights: 'author' })
      access.assertRecord('get', row, undefined, judged && (await judged))
      const restricted = assertReachable(access, 'get', key, runtime.store)
      if (restricted !== undefined) await restricted
      const reach = worked ? NO_REACH : access.reachOf(fields)
      const reached = neighboursIfAny(row, reach, { ...reading, rights: 'caller' })
      const neighbours = reached && (await reached)
      const values = worked?.valuesOf(row)
      const whole = values === undefined ? row : text ? withValues(row, values) : { ...row, ...values }
      const embedding = () => ({ ...around, warn: call.warn })
      const data =
        text === undefined
          ? await withEmbedded(
              embedding(),
              included,
              row,
              presentRecord(whole, fields, access, neighbours),
              access,
            )
          : new JsonText(
              isNothing(included)
                ? String(whole[TEXT])
                : await embeddedText(embedding(), included, whole, access),
            )
      const tag = isNothing(included)
        ? etag(row, fields, access, data instanceof JsonText ? values : data)
        : contentTag(textOf(data))
      const known = call.request?.meta('if-none-match')
      if (known !== undefined && names(known, tag)) return new Reply({ status: 304, headers: { ETag: tag } })
      return new Reply({ headers: { ETag: tag }, data })
    },
  }
}

const KNOWN: ReadonlySet<string> = new Set(['fields', 'include', 'scope'])

const NONE: readonly Column[] = []
const VERSION_ALONE: readonly Column[] = [VERSION]

/** What is read of a record: what is shown of it, what decides about it, and its version. */
const besides = (shown: readonly Column[], deciding: readonly Column[]): readonly Column[] =>
  shown.length === 0 && deciding.length === 0 ? VERSION_ALONE : [...new Set([...shown, ...deciding, VERSION])]

async function embeddedText(reading: Reading, included: Included, row: Row, access: Access) {
  const [text = ''] = await embedInTexts(reading, included, [row], access)
  return text
}

const textOf = (data: object): string => (data instanceof JsonText ? data.text : JSON.stringify(data))

async function withEmbedded(reading: Reading, included: Included, row: Row, shown: Row, access: Access) {
  const [data = shown] = await embed(reading, included, [row], [shown], access)
  return data
}
