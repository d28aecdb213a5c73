import type { ResourceBlock } from '@svc/domain/contract'
import { z } from 'zod'
import { storedField } from '../field-names.ts'
import { keptIn, ledgerName } from '../ledger.ts'
import { copiesIn } from '../copies.ts'
import { redactAudit, withoutValues } from './redact.ts'
import {
  createAuditLedger,
  openEntry,
  rememberLedger,
  resealEntry,
  SIDES,
  USER_ID,
  USERNAME,
} from './ledger.ts'
import { AUDIT_DOCUMENTATION } from './documentation.ts'
import { auditOperation } from './operation.ts'

const names = z.array(z.string().min(1))
/** How tables begin that belong to the service, or to a database itself. */
const RESERVED = /^(svc_|sqlite_|pg_)/

const AuditDefinition = z.strictObject({
  track: names.optional().describe('The fields whose changes are kept; all stored fields unless said.'),
  exclude: names.optional().describe('Fields whose changes are not kept.'),
  tableName: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be up to 63 small letters, digits and underscores')
    .optional()
    .describe('The table that entries are kept in.'),
  retention: z
    .strictObject({
      days: z.int().min(1).max(36_500).optional().describe('After how many days an entry is removed.'),
    })
    .optional()
    .describe('How long entries are kept; for good unless said.'),
})
type AuditDefinition = z.output<typeof AuditDefinition>

/** The key `audit` of a resource: who changed what, and when. */
export const auditBlock: ResourceBlock<AuditDefinition> = {
  on: 'resource',
  key: 'audit',
  features: { audit: 'Whether every write is recorded with its author and changes.' },
  schema: AuditDefinition.describe('What the audit of the resource keeps, and for how long.'),
  compile(written, site) {
    const { resource } = site
    if (!site.feature('audit')) {
      if (written) site.warning([], "means nothing without 'audit: true' under 'features'")
      return undefined
    }
    const { track, exclude = [], tableName, retention } = written ?? {}
    if (tableName !== undefined && RESERVED.test(tableName))
      site.problem(['tableName'], `'${tableName}' begins as tables of the service or the database do`)
    const tracked = track?.flatMap((name, at) => storedField(name, ['track', at], site) ?? [])
    const excluded = new Set(exclude.flatMap((name, at) => storedField(name, ['exclude', at], site) ?? []))
    const fields = (tracked ?? [...resource.fields.values()]).filter((field) => !excluded.has(field))
    const name = tableName ?? ledgerName(resource, 'audit')
    const ledger = createAuditLedger(resource, site.model, { name, fields, days: retention?.days })
    rememberLedger(resource, ledger)
    return {
      tables: { audit: ledger.table },
      selfContained: true,
      appends: () => true,
      afterWrite: ledger.record,
      keeps: (of) =>
        of === resource
          ? [
              keptIn(ledger, 'audit', ['changes'], {
                redact: redactAudit(ledger),
                open: openEntry,
                reseal: resealEntry,
              }),
            ]
          : [],
      mentions: copiesIn(ledger, 'audit', SIDES, withoutValues),
      acted: [{ table: ledger.table, actor: { id: USER_ID, name: USERNAME } }],
      operations: [auditOperation(ledger)],
      describe: () => ({ openapi: AUDIT_DOCUMENTATION }),
    }
  },
}
