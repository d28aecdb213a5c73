import type { Change } from './change.ts'

/** Takes the mark of a soft delete off. */
export function undelete({ values }: Change): void {
  values['deletedAt'] = null
}
