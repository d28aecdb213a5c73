/** Field types whose values no column of a user holds: secrets, what the service makes, and what has a form of its own. */
const BARRED: ReadonlySet<string> = new Set([
  'password',
  'token',
  'autoincrement',
  'slug',
  'blocks',
  'component',
  'repeater',
  'media',
  'svg',
  'geometry',
])

/** Whether a column may be of a type at all. */
export const isColumnType = (name: string): boolean => !BARRED.has(name)
