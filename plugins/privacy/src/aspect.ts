import type { Aspect } from '@svc/domain/contract'
import { FieldPrivacy } from './definition.ts'
import { encrypted } from './encryption/encrypted.ts'
import type { Rings } from './encryption/ring.ts'

/**
 * The attribute `privacy` of fields: it stands in the schema endpoint, keeps values encrypted, and what else it means is the
 * matter of the domain's key.
 */
export const privacyAspect = (rings: Rings): Aspect<FieldPrivacy> => ({
  name: 'privacy',
  reads: ['privacy'],
  schema: FieldPrivacy,
  apply(written, type, definition, place) {
    const shown = { ...type, facts: { ...type.facts, privacy: shownFlags(written) } }
    return written.encrypted === true ? encrypted(shown, written, definition, place, rings) : shown
  },
})

/** The flags as they are written, of which each is a text or a boolean. */
export const shownFlags = (written: FieldPrivacy): Readonly<Record<string, string | boolean>> =>
  Object.fromEntries(
    Object.entries(written).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag]])),
  )
