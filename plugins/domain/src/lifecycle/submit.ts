import { type Action, defineAction, type Logger, Reply } from '@svc/kernel'
import type { z } from 'zod'
import { absentActors } from './acting.ts'
import { tellIdle } from './idle.ts'
import { type Lifecycle, orParseError, Submission } from './lifecycle.ts'
import { warningsOf } from './parse-error.ts'

/** Puts a definition in force. */
export const submit = ({ engine, accounts, log }: Lifecycle & { readonly log: Logger }): Action =>
  defineAction<z.output<typeof Submission>, unknown>({
    name: 'svc.domain.submit',
    summary: 'Put a domain definition in force',
    access: ['admin'],
    routes: ['POST /api/v1/domains'],
    notes: { status: 201 },
    input: Submission,
    async handle({ content, format, allow_destructive: allowDestructive }, call) {
      const { read, applied } = await orParseError(async () => {
        const read = await engine.read(content, format)
        const written = { text: content, format: read.loaded.format, origin: 'submitted' } as const
        return { read, applied: await engine.apply(read, written, { caller: call.caller, allowDestructive }) }
      })
      const { model, ddlCount } = applied
      for (const warning of [...warningsOf(read), ...(await absentActors(model, accounts))])
        call.warn(warning)
      tellIdle(read, { domain: model.name }, log)
      return Reply.created({
        domain: model.name,
        version: model.version,
        status: 'active',
        resources: [...model.resources.values()].map(({ name, table, fields }) => ({
          name,
          table: table.name,
          fields: [...fields.keys()],
        })),
        ddl_count: ddlCount,
        // Made for the lists that expressions go through, since nobody declared them.
        ...(model.reachIndexes.length > 0 && { indexes: model.reachIndexes }),
      })
    },
  })
