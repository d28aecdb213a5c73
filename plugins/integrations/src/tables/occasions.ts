import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** The columns of an occasion: a row for each trigger by the clock. */
export const OCCASION = {
  /** `integration.operation#0`: the trigger, by its place. */
  id: column('id', 'text'),
  /** What it recurs by, and the moment of its first submit, from which it counts. */
  text: column('text', 'text'),
  since: column('since', 'datetime'),
  /** When it is due next; null: never again. */
  nextAt: column('nextAt', 'datetime', true),
} as const

/** The table of a domain's triggers by the clock. */
export const occasionTable = ({ name }: Pick<Model, 'name'>): Table =>
  Object.freeze({
    name: boundedName([name, 'integrations', 'occasions']),
    columns: Object.values(OCCASION),
    primaryKey: [OCCASION.id],
    indexes: [],
    foreignKeys: [],
  })
