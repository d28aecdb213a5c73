import type { Column } from '../plan.ts'

/** Throws where a column keeps its values in another form, which says nothing of how they compare. */
export function assertPlain({ name, codec }: Column): void {
  if (codec !== undefined) {
    throw new Error(`'${name}' keeps its values sealed: all that can be asked of it is whether it is null`)
  }
}
