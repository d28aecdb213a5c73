import { DomainsCapability } from '@svc/domain/contract'
import type { Kernel } from '@svc/kernel'
import { type Row, StoreCapability, type Table } from '@svc/store/contract'
import { ITEM, items, references } from '../../../plugins/media/src/tables.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

const all = (kernel: Kernel, table: Table): Promise<readonly Row[]> =>
  kernel.get(StoreCapability).select({ table, columns: table.columns, where: { op: 'always' }, order: [] })

const sorted = (lines: Iterable<string>): readonly string[] => [...new Set(lines)].toSorted()

/** The references that are kept of a domain, each as a line. */
export async function keptReferences(kernel: Kernel, domain: string): Promise<readonly string[]> {
  const rows = await all(kernel, references)
  const own = rows.filter((row) => row['domain'] === domain)
  return sorted(
    own.map((row) => [row['resource'], row['record_id'], row['field_name'], row['media_id']].join(' ')),
  )
}

/**
 * The references that a look into every record of a domain finds, deleted ones too: every id of an item in the fields
 * that `holds` names.
 */
export async function foundReferences(
  kernel: Kernel,
  domain: string,
  holds: (resource: string, field: string) => boolean,
): Promise<readonly string[]> {
  const known = await all(kernel, items)
  const own = new Set(known.filter((row) => row[ITEM.domain.name] === domain).map((row) => String(row['id'])))
  const found: string[] = []
  for (const resource of kernel.get(DomainsCapability).model(domain)!.resources.values()) {
    const fields = [...resource.fields.keys()].filter((name) => holds(resource.name, name))
    for (const row of await all(kernel, resource.table))
      for (const field of fields)
        for (const [id] of JSON.stringify(row[field] ?? null, withoutTexts).matchAll(UUID))
          if (own.has(id)) found.push([resource.name, row[resource.key.name], field, id].join(' '))
  }
  return sorted(found)
}

/** Texts may hold what looks like an id. */
const withoutTexts = (name: string, value: unknown): unknown => (name === 'text' ? undefined : value)
