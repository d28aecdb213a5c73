import { textType } from './text-type.ts'

/** Newer engines take offsets as zones too; those are no names. */
const SHAPE = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** Names found good, in lower case: no more than there are zones. */
const known = new Set<string>()

function isZone(text: string): boolean {
  if (!SHAPE.test(text)) return false
  const name = text.toLowerCase()
  if (known.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
  } catch {
    return false
  }
  known.add(name)
  return true
}

/** A time zone: a name of the IANA database, kept as written. */
export const timezone = textType({
  name: 'timezone',
  format: { sentence: 'format.timezone', matches: isZone },
})
