import type { Catalog, CatalogTable } from '../contract.ts'
import type { Connection } from './connection.ts'
import { OWN_PREFIX } from '../seen-tables.ts'
import { longRowsOf } from './search.ts'

/**
 * What the tables are called that are asked for, as a JSON array, and what the names of others begin with; null: all of them. It is laid
 * down once: looked up for each of thousands of tables, an array would be gone through each time.
 */
const ASKED = `
  with asked(names, prefix) as materialized (select ?, ?),
    named(name) as materialized (select value from asked, json_each(asked.names))`
const [NAMES, PREFIX] = ['(select names from asked)', '(select prefix from asked)']
const isAsked = (name: string) =>
  `(${NAMES} is null or ${name} in named or substr(${name}, 1, length(${PREFIX})) = ${PREFIX})`

const COLUMNS = `${ASKED}
  select t.name as "table", c.name, c.type, c."notnull", c.pk
  from pragma_table_list t, pragma_table_info(t.name) c
  where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
    and ${isAsked('t.name')} order by t.name, c.cid`

const INDEXES = `${ASKED}
  select t.name as "table", i.name, i."unique", c.name as "column"
  from sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
  where t.type = 'table' and i.origin = 'c' and ${isAsked('t.name')} order by t.name, i.name, c.seqno`

/** A full-text table that triggers of its own name keep is an index of the table that they belong to. */
const SEARCH_INDEXES = `${ASKED}
  select tr.tbl_name as "table", t.name
  from pragma_table_list t join sqlite_schema tr on tr.type = 'trigger' and tr.name = t.name || '_insert'
  where t.schema = 'main' and t.type = 'virtual' and ${isAsked('tr.tbl_name')} order by t.name`

/** Reads what the database holds, of the tables called `names` alone where they are given, and the service's own with `own`. */
export function readCatalog(connection: Connection, names?: readonly string[], own = false): Catalog {
  const asked = [names === undefined ? null : JSON.stringify(names), own ? OWN_PREFIX : null]
  const tables = new Map<
    string,
    { columns: CatalogTable['columns'][number][]; indexes: Map<string, Listed> }
  >()
  for (const row of connection.all(COLUMNS, asked)) {
    const table = entry(tables, String(row['table']), () => ({ columns: [], indexes: new Map() }))
    table.columns.push({
      name: String(row['name']),
      type: String(row['type']).toLowerCase(),
      nullable: row['notnull'] === 0 && row['pk'] === 0,
    })
  }
  for (const row of connection.all(INDEXES, asked)) {
    const indexes = tables.get(String(row['table']))?.indexes ?? new Map<string, Listed>()
    const name = String(row['name'])
    entry(indexes, name, () => ({ name, columns: [], unique: row['unique'] === 1 })).columns.push(
      String(row['column']),
    )
  }
  for (const row of connection.all(SEARCH_INDEXES, asked)) {
    const name = String(row['name'])
    const indexes = tables.get(String(row['table']))?.indexes
    indexes?.set(name, { name, columns: [], unique: false })
    indexes?.delete(longRowsOf({ name }))
  }
  return {
    tables: [...tables].map(([name, { columns, indexes }]) => ({
      name,
      columns,
      indexes: [...indexes.values()],
    })),
  }
}

interface Listed {
  readonly name: string
  readonly columns: string[]
  readonly unique: boolean
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}
