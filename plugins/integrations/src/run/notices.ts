import { kebabCase } from '@svc/domain/contract'
import type { Row, Transaction } from '@svc/store/contract'
import type { Notice } from '../definition/resilience.ts'
import type { Integration } from '../integration.ts'
import type { Setting } from './means.ts'
import type { Run } from './run.ts'

/** What a message may name. */
export const NOTICE_VARIABLES = ['notice', 'integration', 'operation', 'error', 'deadLetterId'] as const

/** Raises the message about a dead letter, in the transaction that writes it, and tells the bus after it. */
export async function tell(
  notice: 'added' | 'exhausted',
  run: Run,
  { id, error }: { readonly id: string; readonly error: { readonly code: string; readonly message: string } },
  transaction: Transaction,
  setting: Setting,
): Promise<void> {
  const { integration, operation } = run
  const variables = {
    notice,
    integration: integration.name,
    operation: operation.name,
    error: `${error.code}: ${error.message}`,
    deadLetterId: id,
  }
  if (notice === 'added')
    transaction.afterCommit(() =>
      announce(integration, 'deadletter', { id, operation: operation.name, runId: run.id, error }, setting),
    )
  await raise(notice, integration, variables, transaction, setting)
}

/** Raises the message that something has happened, where the integration wants one. */
export async function raise(
  notice: Notice,
  { name, notices }: Integration,
  variables: Row,
  transaction: Transaction,
  { parts }: Pick<Setting, 'parts'>,
): Promise<void> {
  if (!notices.on.has(notice)) return
  const now = parts.env.now()
  await notices.notification?.raise(transaction, {
    source: {
      kind: 'integration',
      name,
      id: typeof variables['deadLetterId'] === 'string' ? variables['deadLetterId'] : null,
    },
    resource: undefined,
    recordId: null,
    context: { variables, now: () => now },
  })
}

/** Tells the bus: `svc.<domain>.integrations.<name>.<what>`, names in kebab case. */
export function announce(
  { name }: Pick<Integration, 'name'>,
  what: string,
  facts: Row,
  { model, parts }: Pick<Setting, 'model' | 'parts'>,
): void {
  parts.bus.emit(`svc.${model.name}.integrations.${kebabCase(name)}.${what}`, {
    id: parts.newId(),
    domain: model.name,
    integration: name,
    at: new Date(parts.env.now()).toISOString(),
    ...facts,
  })
}
