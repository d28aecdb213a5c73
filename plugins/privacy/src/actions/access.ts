import {
  type Data,
  domainAction,
  type DomainAction,
  type Field,
  type RecordInput,
} from '@svc/domain/contract'
import { type Call, errors, Reply } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { consentsOf } from '../consents.ts'
import { enter, presentEntry } from '../log.ts'
import { restrictionOf } from '../restriction/kept.ts'
import type { Setting } from '../setting.ts'
import { namesOf } from '../subjects/names.ts'
import { type Asked, findingOf, whoIs } from '../subjects/who.ts'
import { ENTRY } from '../tables.ts'
import { presentAccount } from './account.ts'
import { mediaOf } from '../subjects/beside.ts'
import { countsOf, gather, type Gathered, unknown } from '../subjects/gather.ts'
import { shownBeside } from './beside.ts'
import { csvOf, shownRecords, type ShowingOf, showingTo } from './shown.ts'

/** Everything that is kept about a person, for who asks. */
export const accessAction = (setting: Setting): DomainAction =>
  domainAction<RecordInput>({
    name: 'access',
    summary: 'Everything that is kept about a person',
    access: 'record',
    routes: ['GET /privacy/subject/:identifier'],
    async handle({ path, query = {} }, call, data) {
      const found = await begin('access', path, query, { call, data, setting })
      if (found.format === 'csv') return csvReply(found, call, setting)
      const { asked, gathered, records, showingOf, others } = found
      const { subject, account, identifier } = asked
      const restriction = await shownRestriction(asked.hash, setting, data)
      const told = await shownBeside(gathered, { asked, data, showingOf, others })
      return {
        subject: { identifier, field: subject?.field ?? null, restricted: restriction !== null },
        generatedAt: new Date(setting.env.now()).toISOString(),
        account: presentAccount(account),
        resources: records,
        classifications: Object.fromEntries(setting.privacy.classifications),
        consents: await consentsOf(asked.hash, setting.tables, data.reader),
        restriction,
        ...told,
        media: mediaOf(gathered.records, (resource) => showingOf(resource).fields),
        log: await logOf(asked, setting, data),
      }
    },
  })

/** A copy of a person's data to take along. */
export const exportAction = (setting: Setting): DomainAction =>
  domainAction<RecordInput>({
    name: 'export',
    summary: "A copy of a person's data to take along",
    access: 'record',
    routes: ['GET /privacy/subject/:identifier/export'],
    async handle({ path, query = {} }, call, data) {
      const found = await begin('export', path, query, { call, data, setting })
      if (found.format === 'csv')
        return csvReply(found, call, setting, {
          'Content-Disposition': 'attachment; filename="personal-data.csv"',
        })
      const { asked, records } = found
      return {
        subject: {
          identifier: asked.identifier,
          field: asked.subject?.field ?? null,
          restricted: (await shownRestriction(asked.hash, setting, data)) !== null,
        },
        exportedAt: new Date(setting.env.now()).toISOString(),
        account: presentAccount(asked.account),
        resources: records,
        consents: await consentsOf(asked.hash, setting.tables, data.reader),
      }
    },
  })

interface Begun {
  readonly asked: Asked
  readonly gathered: Gathered
  readonly records: Readonly<Record<string, readonly Row[]>>
  readonly format: 'json' | 'csv'
  readonly showingOf: ShowingOf
  /** What identifies others, as far as it was met. */
  readonly others: ReadonlySet<string>
}

/** Finds what is asked for, and puts it on record. */
async function begin(
  action: 'access' | 'export',
  path: RecordInput['path'],
  query: Readonly<Record<string, string>>,
  { call, data, setting }: { readonly call: Call; readonly data: Data; readonly setting: Setting },
): Promise<Begun> {
  const asked = await whoIs(path?.['identifier'] ?? '', action, call, data, setting)
  const { format = 'json' } = query
  if (format !== 'json' && format !== 'csv')
    throw errors.INVALID_QUERY({ message: "'format' must be json or csv" })
  const gathered = await gather(asked, data.reader, setting)
  const consents = await consentsOf(asked.hash, setting.tables, data.reader)
  if (gathered.records.size + gathered.past.size + consents.length === 0) throw unknown()
  await data.write(call, (writes) =>
    enter(
      {
        action,
        subjectHash: asked.hash,
        caller: call.caller,
        details: { format, resources: countsOf(gathered) },
      },
      setting,
      writes,
    ),
  )
  const others = new Set<string>()
  const showingOf = showingTo(asked, { call, data, setting }, (value) => others.add(value))
  return { asked, gathered, records: shownRecords(gathered.records, showingOf), format, showingOf, others }
}

function csvReply(
  { records }: Begun,
  call: Call,
  setting: Setting,
  headers?: Readonly<Record<string, string>>,
) {
  const { localizer } = setting.privacy.model
  const locale = localizer.locale(call.request?.meta('accept-language'))
  const localize = (field: Field) => localizer.text(field.label, locale) ?? field.name
  const body = csvOf(records, setting, localize)
  return new Reply({ ...(headers && { headers }), content: { type: 'text/csv; charset=utf-8', body } })
}

async function shownRestriction(hash: string, { tables }: Setting, { reader }: Data): Promise<Row | null> {
  const restriction = await restrictionOf(hash, tables, reader)
  if (restriction === undefined) return null
  return { restrictedOperations: [...restriction.operations], since: restriction.since }
}

/** What was asked about the person, under whichever of its identifiers. */
async function logOf(
  { identifier, subject, secret }: Asked,
  setting: Setting,
  { reader }: Data,
): Promise<readonly Row[]> {
  const { tables } = setting
  const values = await namesOf(identifier, subject, findingOf(reader, secret, setting))
  const rows = await reader.select({
    table: tables.log,
    columns: tables.log.columns,
    where: { op: 'in', column: ENTRY.subjectHash, values },
    order: [{ column: ENTRY.id, descending: false }],
  })
  return rows.map(presentEntry)
}
