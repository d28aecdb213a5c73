import { AccountsCapability } from '@svc/auth/contract'
import type { Kernel, Route } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { programCall, quoted, shortPath } from '../program.ts'
import type { Administrator } from './administrator.ts'
import type { Note, Terminal } from './command.ts'

/** What people want to know of a server that has started. */
export interface State {
  readonly version: string
  /** Where people find the server: its interface, and the page that documents it. */
  readonly api?: string
  readonly docs?: string
  /** Who can administrate it; undefined where it has no accounts. */
  readonly admins?: readonly string[]
}

const DOCS_ROUTE: Route = 'GET /api/v1/docs'
/** How many administrators the block names. */
const NAMED = 3

/** Looks at a kernel that has started. */
export async function stateOf(kernel: Kernel): Promise<State> {
  const names = new Set(kernel.host.plugins().map(({ name }) => name))
  const base = names.has('rest') ? kernel.get(HttpServerCapability).url() : undefined
  const hasDocs = kernel.actions.list().some(({ routes }) => routes?.includes(DOCS_ROUTE))
  return {
    version: kernel.host.release.version,
    ...(base !== undefined && { api: `${base}/api/v1` }),
    ...(base !== undefined && hasDocs && { docs: `${base}/api/v1/docs` }),
    ...(names.has('auth') && { admins: await kernel.get(AccountsCapability).activeAdmins() }),
  }
}

/** The block at the end of a start: where the server is, who gets in, and how. */
export function welcome(
  { version, api, docs, admins }: State,
  config: string,
  made: Administrator | undefined,
  { notes = [], commandLine = callOn(config) }: Terminal,
): string {
  const lines: readonly Note[] = [
    ...(api === undefined ? [] : [['API', api] as const]),
    ...(docs === undefined ? [] : [['Docs', docs] as const]),
    ...(admins === undefined ? [] : accountLines(admins, commandLine, made)),
    ...notes,
    ['Stop', 'Ctrl+C'],
  ]
  const width = Math.max(...lines.map(([label]) => label.length)) + 2
  const shown = lines.map(([label, text]) => `  ${label.padEnd(width)}${text}\n`)
  return `\nsvc ${version} is ready\n\n${shown.join('')}\n`
}

/** A new administrator's password, for where there is no block. */
export const shownOnce = ({ username, password }: Administrator): string =>
  `administrator: ${username}, password: ${password} (shown this once)`

const callOn = (config: string) => (words: string) =>
  `${programCall()} ${words} --config ${quoted(shortPath(config))}`

function accountLines(
  admins: readonly string[],
  call: (words: string) => string,
  made: Administrator | undefined,
): readonly Note[] {
  const [first] = admins
  if (first === undefined) return [['User', `no administrator yet: ${call('admin create')}`]]
  const others = admins.length > NAMED ? [`${admins.length - NAMED} more`] : []
  const known: readonly Note[] = [['User', [...admins.slice(0, NAMED), ...others].join(', ')]]
  const password: Note = made
    ? ['Password', `${made.password} (of ${made.username}, shown this once)`]
    : ['Password', `as it was set; a new one: ${call(`admin reset-password ${first}`)}`]
  return made
    ? [...known, password, ['Lost it?', call(`admin reset-password ${made.username}`)]]
    : [...known, password]
}
