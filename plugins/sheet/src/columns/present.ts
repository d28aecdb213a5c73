import type { ColumnAuthor, Columns, SheetColumn } from '@svc/domain/contract'

/** Columns as answers show them. */
export async function presentColumns(columns: readonly SheetColumn[], { authors }: Pick<Columns, 'authors'>) {
  const all = await authors()
  return columns.map((one) => present(one, all.get(one.id) ?? NOBODY))
}

/** A column as answers show it. */
export async function presentColumn(column: SheetColumn, { authors }: Pick<Columns, 'authors'>) {
  return present(column, (await authors()).get(column.id) ?? NOBODY)
}

const NOBODY: ColumnAuthor = { id: null, username: null }

const present = ({ name, definition, createdAt, updatedAt }: SheetColumn, createdBy: ColumnAuthor) => {
  const { type, label, description, default: value, enum: values, computed } = definition
  return {
    name,
    type,
    label: label ?? null,
    description: description ?? null,
    default: value ?? null,
    enum: values ?? null,
    expression: typeof computed === 'object' ? computed.expression : null,
    ...Object.fromEntries(
      BOUNDS.flatMap((bound) => (definition[bound] === undefined ? [] : [[bound, definition[bound]]])),
    ),
    createdBy,
    createdAt,
    updatedAt,
  }
}

/** What a column may say of its values besides. */
export const BOUNDS = ['min', 'max', 'minLength', 'maxLength', 'items'] as const
