import type { Command } from '@svc/management/contract'
import type { Scrubs } from './scrubs.ts'

/** Has the tables of all domains rewritten, for the owner of the process; answers before that is done. */
export const scrubCommand = (scrubs: Scrubs): Command => ({
  name: 'privacy_scrub',
  run: () => scrubs.atOnce(),
})
