import { AppError, brand } from '@svc/kernel'

/** A write that the database refused because of rows that are there already or are missing. */
export class StoreConflict extends Error {
  static {
    brand(this, 'StoreConflict')
  }

  override readonly name = 'StoreConflict'
  readonly kind: 'unique' | 'foreignKey' | 'notNull'
  readonly table: string
  /** The columns of the violated rule, as far as the database names them. */
  readonly columns: readonly string[]

  constructor(kind: StoreConflict['kind'], table: string, columns: readonly string[], cause?: unknown) {
    super(`${kind} violated in '${table}' (${columns.join(', ')})`, { cause })
    this.kind = kind
    this.table = table
    this.columns = columns
  }
}

/** A plan that names a table or column that is not there any more: another server has changed the schema. */
export class SchemaMoved extends AppError {
  static {
    brand(this, 'SchemaMoved')
  }

  constructor(cause: unknown) {
    super('UNAVAILABLE', 503, 'The schema has changed meanwhile: try again', { cause })
  }
}

/** A value that is none of its column's type: plans hold those of the type that the column had, which may be another one now. */
export class ValueRefused extends Error {
  static {
    brand(this, 'ValueRefused')
  }

  override readonly name = 'ValueRefused'

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
