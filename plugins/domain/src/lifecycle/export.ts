import { type Action, defineAction } from '@svc/kernel'
import type { z } from 'zod'
import { partTables } from '../blocks/tables.ts'
import { readAuthors } from '../overlay/rows.ts'
import { type Lifecycle, Named } from './lifecycle.ts'

/** Answers everything that it takes to set a domain up elsewhere. */
export const exportDomain = ({ engine, store }: Lifecycle): Action =>
  defineAction<z.output<typeof Named>, unknown>({
    name: 'svc.domain.export',
    summary: 'Export a domain',
    access: ['admin'],
    routes: ['GET /api/v1/domains/:name/export'],
    input: Named,
    async handle({ name }) {
      const { model, stored, columns } = engine.inForce.find(name)
      const authors = await readAuthors(model.name, store)
      return {
        name: model.name,
        version: stored.version,
        checksum: stored.checksum,
        format: stored.format,
        source: stored.source,
        resolved: JSON.parse(stored.resolved) as unknown,
        dynamicColumns: columns
          .filter(({ isDeclared }) => !isDeclared)
          .map(({ id, resource, name: column, definition, createdAt, updatedAt }) => ({
            resource,
            name: column,
            ...definition,
            createdBy: authors.get(id) ?? { id: null, username: null },
            createdAt,
            updatedAt,
          })),
        ddl: [...model.tables, ...partTables(model)].flatMap((table) =>
          store.explain({ kind: 'createTable', table }),
        ),
      }
    },
  })
