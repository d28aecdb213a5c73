import { describe, expect, test } from 'vitest'
import { type Column, type Condition, Increment, type SchemaStep, type Table } from '../contract.ts'
import { postgresDialect } from '../postgres/dialect.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { Compiler } from './compiler.ts'
import { ddl } from './ddl.ts'
import type { Dialect } from './dialect.ts'
import { insert } from './insert.ts'
import { remove } from './remove.ts'
import { count, select } from './select.ts'
import { update } from './update.ts'

const id: Column = { name: 'id', kind: 'uuid', nullable: false }
const title: Column = { name: 'ti"tle', kind: 'text', nullable: false }
const done: Column = { name: 'done', kind: 'boolean', nullable: true, default: false }
const size: Column = { name: 'size', kind: 'integer', nullable: true }
const TASKS: Table = {
  name: 'task',
  columns: [id, title, done, size],
  primaryKey: [id],
  indexes: [
    {
      name: 'task_open',
      columns: [size, id],
      unique: true,
      where: {
        op: 'or',
        of: [
          { op: 'eq', column: done, value: false },
          { op: 'in', column: title, values: ["it's"] },
        ],
      },
    },
  ],
  foreignKeys: [
    {
      name: 'task_size_fk',
      column: size,
      references: { table: 'sizes', column: 'no' },
      onDelete: 'set null',
    },
  ],
}
const byId: Condition = { op: 'eq', column: id, value: 'x' }
const broad: Condition = {
  op: 'and',
  of: [
    { op: 'not', of: { op: 'lt', column: size, value: 3 } },
    { op: 'ne', column: done, value: true },
    {
      op: 'or',
      of: [
        { op: 'in', column: size, values: [1, 2] },
        { op: 'like', column: title, pattern: 'A%' },
      ],
    },
  ],
}
const MANY = Array.from({ length: 101 }, (_, at) => at)
const among: Condition = { op: 'in', column: size, values: MANY }
const noneOf: Condition = { op: 'not', of: among }
const step = (kind: 'createTable' | 'dropTable'): SchemaStep => ({ kind, table: TASKS })

interface Expected {
  readonly dialect: Dialect
  readonly calls: Readonly<Record<string, readonly [sql: string, values: readonly unknown[]]>>
  readonly steps: readonly (readonly [SchemaStep, readonly string[]])[]
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  sqlite: {
    dialect: sqliteDialect(new Set()),
    calls: {
      get: ['select "id", "done" from "task" where "id" = ?', ['x']],
      list: [
        'select "id" from "task" where (("size" >= ? or "size" is null) and ("done" <> ? or "done" is null) and ' +
          '("size" in (select value from json_each(?)) or svc_lower("ti""tle") like ?)) ' +
          'order by "size" desc, "id" limit (? | 0) offset ?',
        [3, 1, '[1,2]', 'a%', 20, 40],
      ],
      among: [
        'select "id" from "task" where "size" in (select value from json_each(?))',
        [JSON.stringify(MANY)],
      ],
      noneOf: [
        'select "id" from "task" where ("size" not in (select value from json_each(?)) or "size" is null)',
        [JSON.stringify(MANY)],
      ],
      tail: ['select "id" from "task" limit 9007199254740991 offset ?', [5]],
      count: ['select count(*) as "count" from "task" where "size" is not null', []],
      insert: [
        'insert into "task" ("id", "ti""tle", "done") values (?, ?, ?) on conflict do nothing',
        ['x', 't', 0],
      ],
      update: [
        'update "task" set "size" = "size" + ?, "done" = ? where "id" = ? returning "size"',
        [2, null, 'x'],
      ],
      remove: ['delete from "task" where "id" = ?', ['x']],
    },
    steps: [
      [
        step('createTable'),
        [
          'create table "task" ("id" text not null, "ti""tle" text not null, "done" integer default 0, ' +
            '"size" integer references "sizes" ("no") on delete set null, primary key ("id"))',
          'create unique index "task_open" on "task" ("size", "id") where ("done" = 0 or "ti""tle" in (\'it\'\'s\'))',
        ],
      ],
      [step('dropTable'), ['drop table "task"']],
      [
        { kind: 'dropColumn', table: TASKS, column: done },
        ['drop index if exists "task_open"', 'alter table "task" drop column "done"'],
      ],
      [
        { kind: 'addColumn', table: TASKS, column: size },
        ['alter table "task" add column "size" integer references "sizes" ("no") on delete set null'],
      ],
    ],
  },
  postgres: {
    dialect: postgresDialect({ lowerCollation: 'und-x-icu', trigramSchema: undefined }),
    calls: {
      get: ['select "id", "done" from "task" where "id" = $1', ['x']],
      list: [
        'select "id" from "task" where (("size" >= $1 or "size" is null) and ("done" <> $2 or "done" is null) and ' +
          '("size" = any($3) or lower("ti""tle" collate "und-x-icu") like $4 escape \'\')) ' +
          'order by "size" desc nulls last, "id" limit $5 offset $6',
        [3, true, [1, 2], 'a%', 20, 40],
      ],
      among: ['select "id" from "task" where "size" = any($1)', [MANY]],
      noneOf: [
        'select "id" from "task" where ("size" not in (select unnest($1::bigint[])) or "size" is null)',
        [MANY],
      ],
      tail: ['select "id" from "task" limit 9007199254740991 offset $1', [5]],
      count: ['select count(*) as "count" from "task" where "size" is not null', []],
      insert: [
        'insert into "task" ("id", "ti""tle", "done") values ($1, $2, $3) on conflict do nothing',
        ['x', 't', false],
      ],
      update: [
        'update "task" set "size" = "size" + $1, "done" = $2 where "id" = $3 returning "size"',
        [2, null, 'x'],
      ],
      remove: ['delete from "task" where "id" = $1', ['x']],
    },
    steps: [
      [
        step('createTable'),
        [
          'create table "task" ("id" uuid not null, "ti""tle" text collate "C" not null, "done" boolean default false, ' +
            '"size" bigint, primary key ("id"))',
          'create unique index "task_open" on "task" ("size" nulls first, "id") ' +
            'where ("done" = false or "ti""tle" in (\'it\'\'s\'))',
          'alter table "task" add constraint "task_size_fk" foreign key ("size") references "sizes" ("no") on delete set null',
        ],
      ],
      [step('dropTable'), ['drop table "task" cascade']],
      [
        { kind: 'dropColumn', table: TASKS, column: done },
        ['drop index if exists "task_open"', 'alter table "task" drop column "done"'],
      ],
      [
        { kind: 'addColumn', table: TASKS, column: size },
        [
          'alter table "task" add column "size" bigint',
          'alter table "task" add constraint "task_size_fk" foreign key ("size") references "sizes" ("no") on delete set null',
        ],
      ],
    ],
  },
}

for (const [name, { dialect, calls, steps }] of Object.entries(EXPECTED)) {
  describe(`plans for ${name}`, () => {
    const compiler = new Compiler(dialect)
    const made = {
      get: () => compiler.call(select, { table: TASKS, columns: [id, done], where: byId, order: [] }),
      list: () =>
        compiler.call(select, {
          table: TASKS,
          columns: [id],
          where: broad,
          order: [
            { column: size, descending: true },
            { column: id, descending: false },
          ],
          limit: 20,
          offset: 40,
        }),
      among: () => compiler.call(select, { table: TASKS, columns: [id], where: among, order: [] }),
      noneOf: () => compiler.call(select, { table: TASKS, columns: [id], where: noneOf, order: [] }),
      tail: () =>
        compiler.call(select, { table: TASKS, columns: [id], where: { op: 'always' }, order: [], offset: 5 }),
      count: () =>
        compiler.call(count, { table: TASKS, where: { op: 'not', of: { op: 'null', column: size } } }),
      insert: () =>
        compiler.call(insert, { table: TASKS, values: { id: 'x', 'ti"tle': 't' }, onConflict: 'ignore' }),
      update: () =>
        compiler.call(update, {
          table: TASKS,
          set: { size: new Increment(2), done: null },
          where: byId,
          returning: [size],
        }),
      remove: () => compiler.call(remove, { table: TASKS, where: byId }),
    }

    for (const [kind, call] of Object.entries(made)) {
      test(`become SQL and values: ${kind}`, () => {
        const { statement, values } = call()
        expect([statement.sql, values]).toEqual(calls[kind])
      })
    }

    test('are compiled once for each shape', () => {
      expect(made.list().statement).toBe(made.list().statement)
      expect(made.get().statement).not.toBe(made.list().statement)
    })

    test('name a statement in at most 63 bytes', () => {
      expect(Buffer.byteLength(made.list().statement.name)).toBeLessThanOrEqual(63)
    })

    test('name no statement with a long list, which is planned for what that holds', () => {
      const oneOf = (values: readonly number[]): Condition => ({ op: 'in', column: size, values })
      const inText: Condition = {
        op: 'holds',
        scalar: { op: 'in', of: { op: 'column', column: title }, type: 'text', values: MANY.map(String) },
      }
      const nameOf = (where: Condition) =>
        compiler.call(select, { table: TASKS, columns: [id], where, order: [] }).statement.name
      expect(nameOf(oneOf(MANY))).toBe('')
      expect(nameOf({ op: 'or', of: [byId, oneOf(MANY)] })).toBe('')
      expect(nameOf(inText)).toBe('')
      expect(nameOf(oneOf(MANY.slice(1)))).not.toBe('')
    })

    for (const [one, sql] of steps) {
      test(`become statements: ${one.kind}`, () => {
        expect(ddl(one, dialect).map((statement) => compiler.text(statement.sql))).toEqual(sql)
      })
    }

    test('refuse what has no SQL', () => {
      expect(() => compiler.call(select, { table: TASKS, columns: [], where: byId, order: [] })).toThrow(
        'column',
      )
      expect(() => compiler.call(update, { table: TASKS, set: {}, where: byId })).toThrow('must set a column')
      expect(() => compiler.call(insert, { table: TASKS, values: { toString: 1 } })).toThrow(
        "no column 'toString'",
      )
    })
  })
}
