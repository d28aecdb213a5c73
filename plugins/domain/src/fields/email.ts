import { textType } from './text-type.ts'

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`)

/** RFC 5321: 64 octets before the sign and 254 in all. */
const isAddress = (text: string): boolean =>
  text.length <= 254 && text.indexOf('@') <= 64 && ADDRESS.test(text)

/** An email address in the shape of RFC 5321: a dot-string and a domain. */
export const email = textType({
  name: 'email',
  format: { sentence: 'format.email', matches: isAddress },
  openapi: { format: 'email' },
})
