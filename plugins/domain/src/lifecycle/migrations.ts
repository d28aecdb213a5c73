import { type Action, defineAction } from '@svc/kernel'
import type { z } from 'zod'
import { readMigrations } from '../migrate/journal.ts'
import { entryOf } from './get.ts'
import { type Lifecycle, Named } from './lifecycle.ts'

/** Answers the migrations of a domain, the newest first, with the statements of both directions. */
export const migrations = ({ engine, store }: Lifecycle): Action =>
  defineAction<z.output<typeof Named>, unknown>({
    name: 'svc.domain.migrations',
    summary: 'List the migrations of a domain',
    access: ['admin'],
    routes: ['GET /api/v1/domains/:name/migrations'],
    input: Named,
    async handle({ name }) {
      const { model } = engine.inForce.find(name)
      const found = await readMigrations(model.name, store)
      return {
        domain: model.name,
        migrations: found.map((one) => {
          const { up, down, reversible } = one
          return { ...entryOf(one), up, down, reversible }
        }),
      }
    },
  })
