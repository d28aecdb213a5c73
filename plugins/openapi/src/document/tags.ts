import type { Entry } from './catalog.ts'
import { codes, shownText } from './text.ts'

/** The tags of a document with what they stand for: a resource, or the actions of one part of the server. */
export function tagsOf(used: ReadonlySet<string>, entries: readonly Entry[]): readonly object[] {
  const resources = new Map(entries.map((entry) => [entry.tag, aboutResource(entry)]))
  return [...used].map((name) => ({
    name,
    description: resources.get(name) ?? PARTS.get(name) ?? `The actions ${codes([`${name}.*`])}.`,
  }))
}

const aboutResource = ({ resource }: Entry): string =>
  resource.description ??
  `${shownText(resource.label, resource) ?? resource.name}: its records, and what is done with them.`

/** What the tags of the parts that come with the server stand for. */
const PARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    auth: 'The account of the caller: signing in and out, tokens, password and address.',
    'auth.sessions': 'Where the caller is signed in.',
    'admin.users': 'Accounts, for administrators.',
    'admin.users.sessions': 'Where others are signed in, for administrators.',
    'admin.roles': 'Roles, for administrators.',
    'admin.api-keys': 'Keys of machines, for administrators.',
    'admin.audit': 'Who asked for what, for administrators.',
    system: 'The state of the server.',
    openapi: 'These documents, and the pages that show them.',
    domain: 'Definitions: what is in force, and changes to it.',
  }),
)
