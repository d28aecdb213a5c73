import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** The columns of a consumer that has ever been at work, on whatever server. */
export const CONSUMER = {
  integration: column('integration', 'text'),
  operation: column('operation', 'text'),
  /** Which of those that are at work at once. */
  at: column('at', 'integer'),
  /** Whether its server, where that is alive, is connected to the broker and listens. */
  connected: column('connected', 'boolean'),
} as const

/** The table of a domain's consumers. */
export const consumerTable = ({ name }: Pick<Model, 'name'>): Table =>
  Object.freeze({
    name: boundedName([name, 'integrations', 'consumers']),
    columns: Object.values(CONSUMER),
    primaryKey: [CONSUMER.integration, CONSUMER.operation, CONSUMER.at],
    indexes: [],
    foreignKeys: [],
  })
