import { createHmac } from 'node:crypto'
import type { Field } from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'

/** How values are brought into one form before they are compared, by field types. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  email: (text) => text.trim().toLowerCase(),
  phone: (text) => text.replace(/[\s\-./()]/g, ''),
}
const exactly = (text: string): string => text

const MAX_LENGTH = 320
const CONTROLS = /\p{Cc}/u

/** Whether a text may identify anybody. */
export const isIdentifier = (text: string): boolean =>
  text.length > 0 && Array.from(text).length <= MAX_LENGTH && !CONTROLS.test(text)

/** The value of an identifying field in the form in which it is compared. */
export const canonical = ({ compiled }: Field, value: Exclude<Value, null>): string =>
  (FORMS[compiled.type.name] ?? exactly)(String(value))

/** Every form that an identifier of no known type may have. */
export const formsOf = (identifier: string): readonly string[] => [
  ...new Set([identifier, ...Object.values(FORMS).map((form) => form(identifier))]),
]

/** What stands for an identifier where the identifier itself may not: HMAC-SHA-256, in hex. */
export const hashOf = (form: string, key: Uint8Array): string =>
  createHmac('sha256', key).update('subject\0').update(form).digest('hex')
