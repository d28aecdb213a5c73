import type { SheetColumn } from '@svc/domain/contract'

/** A column as answers show it. */
export const presentColumn = ({ name, definition, createdBy, createdAt, updatedAt }: SheetColumn) => {
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
