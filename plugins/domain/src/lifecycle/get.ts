import { type Action, defineAction } from '@svc/kernel'
import type { z } from 'zod'
import { readMigrations, type StoredMigration } from '../migrate/journal.ts'
import { type Lifecycle, Named, summaryOf } from './lifecycle.ts'

/** Answers one domain with its history in short. */
export const get = ({ engine, store }: Lifecycle): Action =>
  defineAction<z.output<typeof Named>, unknown>({
    name: 'svc.domain.get',
    summary: 'Get one domain',
    access: ['*'],
    routes: ['GET /api/v1/domains/:name'],
    input: Named,
    async handle({ name }) {
      const domain = engine.inForce.find(name)
      const migrations = await readMigrations(domain.model.name, store)
      return { ...summaryOf(domain), checksum: domain.stored.checksum, migrations: migrations.map(entryOf) }
    },
  })

/** A migration as everybody may see it. */
export const entryOf = (migration: StoredMigration) => {
  const { id, fromVersion, toVersion, status, stepsApplied, stepsSkipped, appliedAt } = migration
  return { id, fromVersion, toVersion, status, stepsApplied, stepsSkipped, appliedAt }
}
