import { blockKey } from '@svc/domain/contract'
import type { Privacy } from './compile/privacy.ts'

/** What later keys may know of personal data: `site.made(PRIVACY)`, undefined where a domain does not declare it. */
export const PRIVACY = blockKey<Privacy>('privacy')

export type { PersonalField } from './compile/personal.ts'
export type { Privacy } from './compile/privacy.ts'
