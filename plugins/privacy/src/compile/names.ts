import type { Privacy } from './privacy.ts'

/** The order in which fields tell whose a record is: what is named first, then the alternates, then all others. */
export function rankOf({ primary, alternates }: Pick<Privacy, 'primary' | 'alternates'>) {
  const names = [...(primary === undefined ? [] : [primary]), ...alternates]
  return {
    isNamed: (name: string): boolean => names.includes(name),
    of(name: string): number {
      const at = names.indexOf(name)
      return at < 0 ? names.length : at
    },
  }
}
