import { nearest } from '@svc/kernel'
import type { Path } from '../definition/problem.ts'
import type { Report } from '../model/report.ts'
import { AUTHENTICATED, OWNER, PUBLIC } from './verdict.ts'

/** What other systems call these words. A role of such a name may exist, but hardly does. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ...['public', 'anonymous', 'everyone', 'everybody', 'all', 'any', 'anyone'].map(
    (word) => [word, PUBLIC] as const,
  ),
  ...['loggedin', 'logged-in', 'logged_in', 'signedin', 'signed-in', 'signed_in'].map(
    (word) => [word, AUTHENTICATED] as const,
  ),
  ...['self', 'me', 'mine'].map((word) => [word, OWNER] as const),
])

const HINTS: ReadonlyMap<string, string> = new Map([
  [PUBLIC, "Write '*' for everybody, without a token too"],
  [AUTHENTICATED, "Write 'authenticated' for everybody who is signed in"],
  [OWNER, "Write 'owner' for those whose record it is"],
])

const UNOWNED = 'Name roles: there is no owner here'

/**
 * Warns of the names in a list of roles that are hardly those of roles: nobody has them, and the list stays shut. `isOwned` says whether
 * what the list opens has an owner, so that 'owner' means something in it.
 */
export function doubtRoles(
  roles: readonly string[],
  path: Path,
  report: Pick<Report, 'warning'>,
  isOwned = true,
): void {
  for (const [at, name] of roles.entries()) {
    const hint = hintFor(name, isOwned)
    if (hint !== undefined) report.warning([...path, at], `'${name}' is taken for the name of a role`, hint)
  }
}

function hintFor(name: string, isOwned: boolean): string | undefined {
  if (HINTS.has(name)) return undefined
  const bare = name.trim()
  const meant = meantBy(bare)
  if (meant === OWNER && !isOwned) return UNOWNED
  if (meant !== undefined) return HINTS.get(meant)
  if (bare.toLowerCase() === 'nobody' || bare.toLowerCase() === 'none') return 'Write [] for nobody'
  return bare === name ? undefined : `Write '${bare}', without the spaces around it`
}

/** The word with a meaning of its own that was meant: one slip of the fingers away, since roles have names that are nearly such words. */
function meantBy(name: string): string | undefined {
  if (HINTS.has(name)) return name
  return nearest(name, [AUTHENTICATED, OWNER], 1) ?? SYNONYMS.get(name.toLowerCase())
}
