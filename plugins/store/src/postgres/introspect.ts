import type { ClientBase } from 'pg'
import type { Catalog, CatalogTable } from '../contract.ts'
import { OWN_PREFIX } from '../seen-tables.ts'
import { plannedName } from './names.ts'

const TABLES = `
  select c.relname as "name",
    (select coalesce(json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull
      ) order by a.attnum), '[]')
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as "columns",
    (select coalesce(json_agg(json_build_object(
        'name', i.relname, 'unique', x.indisunique, 'columns', (
          select coalesce(json_agg(a.attname order by k.place), '[]')
          from unnest(x.indkey::int2[]) with ordinality as k(attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum)
      ) order by i.relname), '[]')
      from pg_index x join pg_class i on i.oid = x.indexrelid
      where x.indrelid = c.oid and not x.indisprimary) as "indexes"
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`

const ALL = `${TABLES} order by c.relname`
/** Of tables that are asked for by their names alone the index of their names is read, not all that the schema holds. */
const ASKED = `${TABLES} and c.relname = any($1::name[]) order by c.relname`
const AND_OWN = `${TABLES} and (c.relname = any($1::name[]) or starts_with(c.relname::text, '${OWN_PREFIX}')) order by c.relname`

/** Reads what the current schema of the database holds, of the tables called `names` alone where they are given, and the service's own with `own`. */
export async function readCatalog(
  client: ClientBase,
  names?: readonly string[],
  own = false,
): Promise<Catalog> {
  const asked = names === undefined ? { text: ALL } : { text: own ? AND_OWN : ASKED, values: [names] }
  const { rows } = await client.query<CatalogTable>(asked)
  return { tables: rows.map(planned) }
}

/** The table in the names that plans use. */
const planned = ({ name, columns, indexes }: CatalogTable): CatalogTable => ({
  name,
  columns: columns.map((column) => ({ ...column, name: plannedName(column.name) })),
  indexes: indexes.map((index) => ({ ...index, columns: index.columns.map(plannedName) })),
})

/** The collation that knows all of Unicode, where this server was built with ICU. */
export async function readLowerCollation(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists(select 1 from pg_collation where collname = 'und-x-icu') as "found"`,
  )
  return rows[0]?.found ? 'und-x-icu' : 'default'
}

/** The schema that holds the extension `postgis`; undefined where the database has none of version 3 or later. */
export async function readPostgisSchema(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ found: string }>(
    `select n.nspname as "found" from pg_extension e join pg_namespace n on n.oid = e.extnamespace
     where e.extname = 'postgis' and split_part(e.extversion, '.', 1)::int >= 3`,
  )
  return rows[0]?.found
}

/** The schema that holds the extension `pg_trgm`; undefined where the database has none. */
export async function readTrigramSchema(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ found: string }>(
    `select n.nspname as "found" from pg_extension e join pg_namespace n on n.oid = e.extnamespace
     where e.extname = 'pg_trgm'`,
  )
  return rows[0]?.found
}
