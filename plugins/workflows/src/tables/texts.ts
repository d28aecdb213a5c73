import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** The columns of a text: what a workflow said once, for the instances that keep to it. */
export const TEXT_OF = {
  workflow: column('workflow', 'text'),
  /** Counts the texts of a workflow, from 1. */
  version: column('version', 'integer'),
  checksum: column('checksum', 'text'),
  /** The text, with variables as they are written: as JSON in a string, since stores keep no order of keys. */
  text: column('text', 'json'),
  at: column('at', 'datetime'),
}

/** The table of the texts of a domain's workflows. */
export function textTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'workflows', 'texts'])
  const { workflow, version, checksum } = TEXT_OF
  return Object.freeze({
    name: table,
    columns: Object.values(TEXT_OF),
    primaryKey: [workflow, version],
    indexes: [{ name: boundedName([table, 'checksum', 'uq']), columns: [workflow, checksum], unique: true }],
    foreignKeys: [],
  })
}
