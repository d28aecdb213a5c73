import type { Change } from './change.ts'

/** Asks whether the caller may make a record such as this one. */
export function permitNew({ access, values }: Change): void {
  access.assertRecord('create', values)
}
