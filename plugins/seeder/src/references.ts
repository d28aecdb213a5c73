import { nearest } from '@svc/kernel'
import type { Accounts } from '@svc/auth/contract'
import type { SeedRecord } from './manifest.ts'
import type { Path } from './positions.ts'
import type { Source } from './read.ts'

/** A whole text `$<Resource>.<key>` or `$user.<username>`; one that starts with `$$` is that text with one `$` less. */
const REFERENCE = /^\$([A-Za-z][A-Za-z0-9_]*)\.(.+)$/s
const ESCAPED = /^\$\$(?=[A-Za-z][A-Za-z0-9_]*\.)/

/** Replaces the references of a record by ids. */
export interface References {
  /** Refuses references to records that the manifest does not have, before anything is written. */
  check(record: SeedRecord): void
  resolve(record: SeedRecord): Promise<unknown>
}

export interface ReferenceOptions {
  readonly source: Source
  readonly accounts: Pick<Accounts, 'find'>
  /** The ids of the records that have a key. */
  readonly ids: ReadonlyMap<string, unknown>
}

/** Where a record with a key is found among the ids. */
export const addressOf = (domain: string, resource: string, key: string): string =>
  JSON.stringify([domain, resource, key])

/** Makes the look-up of references; a user is asked for once. */
export function createReferences({ source, accounts, ids }: ReferenceOptions): References {
  const users = new Map<string, string>()

  const userId = async (username: string, path: Path): Promise<string> => {
    const known = users.get(username)
    if (known !== undefined) return known
    const account = await accounts.find(username)
    if (account === undefined) throw source.fault(path, `there is no user '${username}'`, ESCAPE_HINT)
    users.set(username, account.id)
    return account.id
  }

  const recordId = (domain: string, resource: string, key: string, path: Path): unknown => {
    const id = ids.get(addressOf(domain, resource, key))
    if (id !== undefined) return id
    const names = [...ids.keys()].flatMap((address) => nameWithin(address, domain))
    const meant = nearest(`${resource}.${key}`, names)
    const hint = meant === undefined ? ESCAPE_HINT : `Did you mean '$${meant}'?`
    throw source.fault(path, `no record of '${resource}' has the _key '${key}'`, hint)
  }

  const resolve = async (value: unknown, domain: string, path: Path): Promise<unknown> => {
    if (typeof value === 'string') {
      const [, resource, key] = REFERENCE.exec(value) ?? []
      if (resource === undefined || key === undefined) return value.replace(ESCAPED, '$')
      return resource === 'user' ? userId(key, path) : recordId(domain, resource, key, path)
    }
    if (Array.isArray(value)) return Promise.all(value.map((one, at) => resolve(one, domain, [...path, at])))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(async ([name, one]) => [
      name,
      await resolve(one, domain, [...path, name]),
    ])
    return Object.fromEntries(await Promise.all(entries))
  }

  const check = (value: unknown, domain: string, path: Path): void => {
    if (typeof value === 'string') {
      const [, resource, key] = REFERENCE.exec(value) ?? []
      if (resource !== undefined && key !== undefined && resource !== 'user')
        recordId(domain, resource, key, path)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) check(one, domain, [...path, name])
    }
  }

  return {
    check: ({ values, domain, path }) => check(values, domain, path),
    resolve: ({ values, domain, path }) => resolve(values, domain, path),
  }
}

const ESCAPE_HINT = "Correct the name, or write '$$' for a text that starts with '$'"

function nameWithin(address: string, domain: string): readonly string[] {
  const [of, resource, key]: unknown[] = JSON.parse(address)
  return of === domain ? [`${String(resource)}.${String(key)}`] : []
}
