import { type Access, type BlockOperation, presentRecord } from '@svc/domain/contract'
import { errors, type FieldError } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { renamed } from '../readable.ts'
import { sealingOf } from '../sealed.ts'
import { dataOf, VERSION, type VersionLedger } from './ledger.ts'

/** The kind of change that takes a record back, and the operation that does. */
export const REVERT = 'revert'

/** Lists the earlier versions of a record, the newest first. */
export function versionsOperation(ledger: VersionLedger): BlockOperation {
  const { resource, table, recordId } = ledger
  const names = renamed(resource)
  return {
    name: 'versions',
    summary: `List earlier versions of one ${resource.name}`,
    routes: { 'GET /:id/versions': 'get' },
    async handle(input, call, records) {
      const subject = await records.about(input, call, 'get')
      const listing = {
        subject,
        table,
        recordId,
        where: [],
        order: [{ column: VERSION, descending: true }],
        parameters: [],
        present: (row: Row) => present(row, subject.access, names, ledger),
      }
      return records.list(listing, input, call)
    },
  }
}

/** Writes the values of an earlier version again; the state before that becomes a version of its own. */
export function revertOperation(ledger: VersionLedger): BlockOperation {
  const { resource } = ledger
  const names = renamed(resource)
  return {
    name: REVERT,
    summary: `Take one ${resource.name} back to an earlier version`,
    routes: { 'POST /:id/revert': 'update' },
    handle: (input, call, records) =>
      records.reinstate(REVERT, input, call, async (key) => {
        const version = versionOf(input.data)
        const data = await ledger.find(key, version, records.reader)
        if (data) return opened(data, key, names, ledger)
        throw errors.NOT_FOUND({
          message: `There is no version ${version} of ${resource.name} '${String(key)}'`,
        })
      }),
  }
}

/** The values of an entry under the names that their fields have now. */
function opened(
  data: Row,
  key: Value,
  names: ReadonlyMap<string, string>,
  { resource, model }: VersionLedger,
): Row {
  const { open } = sealingOf(key, resource, model)
  return Object.fromEntries(
    Object.entries(data).map(([as, kept]): readonly [string, Value] => {
      const name = names.get(as) ?? as
      return [name, open(name, kept, as)]
    }),
  )
}

/** The record in the form in which the caller would see it now, without what is masked. */
function present(row: Row, access: Access, names: ReadonlyMap<string, string>, ledger: VersionLedger): Row {
  const { id, recordId, version, userId, createdAt } = row
  const fields = access.shown.filter(({ name }) => access.readable(name))
  return {
    id: id!,
    recordId: recordId!,
    version: version!,
    data: presentRecord(opened(dataOf(row), recordId!, names, ledger), fields, access),
    userId: userId ?? null,
    createdAt: createdAt!,
  }
}

/** The kernel says these in the words of the domain: they bring what they are made of. */
function versionOf(body: unknown): number {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw fault('', 'type', 'The body must be a JSON object')
  const version: unknown = new Map(Object.entries(body)).get('version')
  const unknown = Object.keys(body).find((name) => name !== 'version')
  if (unknown !== undefined)
    throw fault(unknown, 'unknown', `'${unknown}' is not known here; send 'version' alone`, { name: unknown })
  if (version === undefined || version === null) throw fault('version', 'required', "'version' is required")
  if (!Number.isSafeInteger(version)) throw fault('version', 'type', "'version' must be a whole number")
  if (Number(version) < 1) throw fault('version', 'min', 'Versions are counted from 1', { limit: 1 })
  return Number(version)
}

const fault = (field: string, rule: string, message: string, params: FieldError['params'] = {}) =>
  errors.VALIDATION_ERROR({ errors: [{ field, rule, message, params }] })
