import { domainAction, type DomainAction, type RecordInput } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import { z } from 'zod'
import { METHODS } from '../definition.ts'
import { dryRun, erase } from '../erase/erase.ts'
import type { Setting } from '../setting.ts'
import { askerOf } from '../subjects/who.ts'
import { bodyOf, fault, reasonOf, refuse } from './body.ts'

const Body = z.strictObject({
  method: z.enum(METHODS).optional(),
  reason: z.string().optional(),
  retainAudit: z.boolean().default(false),
  retainHistory: z.boolean().default(false),
  excludeResources: z.array(z.string()).default([]),
  dryRun: z.boolean().default(false),
  account: z.boolean().default(false),
})

/** Erases a person, or tells what that would do. */
export const eraseAction = (setting: Setting): DomainAction =>
  domainAction<RecordInput>({
    name: 'erase',
    summary: 'Erase a person',
    access: 'record',
    routes: ['POST /privacy/subject/:identifier/erase'],
    async handle({ path, data: sent }, call, data) {
      const asker = await askerOf(path?.['identifier'] ?? '', 'erase', call, data, setting)
      const body = bodyOf(Body, sent)
      const { privacy } = setting
      const { resources } = privacy.model
      const unknown = body.excludeResources.filter((name) => !resources.has(name))
      if (unknown.length > 0)
        refuse(unknown.map((name) => fault('excludeResources', 'enum', `There is no resource '${name}'`)))
      const { caller } = call
      if (body.account && caller.kind !== 'system' && !caller.roles.includes('admin'))
        throw errors.FORBIDDEN({ message: 'An account is removed by an administrator' })
      const wanted = {
        method: body.method ?? privacy.method,
        reason: reasonOf(body.reason, body.dryRun),
        retainAudit: body.retainAudit,
        retainHistory: body.retainHistory,
        excludeResources: body.excludeResources,
        dryRun: body.dryRun,
        account: body.account,
      }
      return (body.dryRun ? dryRun : erase)(asker, wanted, { call, data, setting })
    },
  })
