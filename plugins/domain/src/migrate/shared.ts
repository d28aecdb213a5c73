import { isDeepStrictEqual } from 'node:util'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'

/** What changes for fields whose own definition stays as it is, because it names something that changes. */
export interface SharedChange {
  /** Whether any enumeration or block has changed at all. */
  readonly isChanged: boolean
  readonly blocks: boolean
  /** Enumerations that no longer take a value. */
  readonly enums: ReadonlySet<string>
}

/** Compares what the fields of two models share. */
export function compareShared(from: Model | undefined, to: Model): SharedChange {
  const enums = [...to.enums.values()].filter(({ name = '', values }) =>
    [...(from?.enums.get(name)?.values.keys() ?? [])].some((value) => !values.has(value)),
  )
  const [before, now] = [from?.definition, to.definition]
  return {
    isChanged: !isDeepStrictEqual([before?.enums, before?.blocks], [now.enums, now.blocks]),
    blocks: from !== undefined && !isDeepStrictEqual(from.definition.blocks, to.definition.blocks),
    enums: new Set(enums.flatMap(({ name = [] }) => name)),
  }
}

/** Why a stored value of a structured field might not fit any more, though the field itself stays as it is. */
export function sharedDoubts(
  { column, definition }: Field,
  { blocks, enums }: SharedChange,
): readonly string[] {
  if (column?.kind !== 'json') return []
  const holdsBlocks = mentions(definition, 'blocks')
  const narrowed = [...enums].filter((name) => holdsBlocks || mentions(definition, name))
  return [
    ...(blocks && holdsBlocks ? ['has other blocks'] : []),
    ...narrowed.map((name) => `has fewer values in '${name}'`),
  ]
}

function mentions(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return value === name
  return Object.values(value).some((inner) => mentions(inner, name))
}
