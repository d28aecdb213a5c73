import { type Action, defineAction, type Logger } from '@svc/kernel'
import { z } from 'zod'
import type { Lifecycle } from './lifecycle.ts'

const Rollback = z.strictObject({ name: z.string(), target_version: z.string().optional() })

/** Goes back to an earlier version of a domain. */
export const rollback = ({ engine, log }: Lifecycle & { readonly log: Logger }): Action =>
  defineAction<z.output<typeof Rollback>, unknown>({
    name: 'svc.domain.rollback',
    summary: 'Go back to an earlier version of a domain',
    access: ['admin'],
    routes: ['POST /api/v1/domains/:name/rollback'],
    input: Rollback,
    async handle({ name, target_version: target }, { caller }) {
      const { model, stored, rolledBack } = await engine.rollback(name, target, caller)
      log.info({ domain: model.name, version: stored.version, migrations: rolledBack }, 'domain.rolled_back')
      return { domain: model.name, version: stored.version, rolledBack }
    },
  })
