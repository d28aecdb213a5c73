import { nearest, type StartupError, type Variables } from '@svc/kernel'
import { z } from 'zod'
import type { Path } from './positions.ts'
import type { Source } from './read.ts'
import { createSubstitution } from './substitute.ts'

const role = z.strictObject({ name: z.string(), description: z.string().default('') })
const user = z.strictObject({
  username: z.string(),
  email: z.string(),
  password: z.string(),
  roles: z.array(z.string()).default([]),
  verified: z.boolean().default(false),
})
const record = z.looseObject({ _key: z.string().min(1).optional() })
const schema = z.strictObject({
  roles: z.array(role).nullish(),
  users: z.array(user).nullish(),
  data: z.record(z.string(), z.record(z.string(), z.array(record).nullable()).nullable()).nullish(),
})

export type SeedRole = z.output<typeof role>
export type SeedUser = z.output<typeof user>
export type Values = Readonly<Record<string, unknown>>

/** A record of the manifest. */
export interface SeedRecord {
  readonly domain: string
  readonly resource: string
  /** Its own name within the resource. */
  readonly key: string | undefined
  /** As the file has them, without `_key`. */
  readonly written: Values
  /** With `${VAR}` replaced. */
  readonly values: Values
  readonly path: Path
}

/** What is to be there, in the order in which it is to be made. */
export interface Manifest {
  readonly roles: readonly SeedRole[]
  readonly users: readonly SeedUser[]
  readonly records: readonly SeedRecord[]
}

/** Checks a manifest's shape and replaces its variables. Throws a StartupError that names every fault of the shape. */
export function parseManifest(source: Source, variables: Variables): Manifest {
  const result = schema.safeParse(source.value ?? {}, { reportInput: true })
  if (!result.success) throw shapeFault(source, result.error.issues)
  const { roles, users, data } = result.data
  const substitute = createSubstitution(source, variables)
  return {
    roles: (roles ?? []).map((one, at) => role.parse(substitute(one, ['roles', at]))),
    users: (users ?? []).map((one, at) => user.parse(substitute(one, ['users', at]))),
    records: Object.entries(data ?? {}).flatMap(([domain, resources]) =>
      Object.entries(resources ?? {}).flatMap(([resource, records]) =>
        (records ?? []).map(({ _key: key, ...written }, at): SeedRecord => {
          const path = ['data', domain, resource, at]
          const values = z.looseObject({}).parse(substitute(written, path))
          return { domain, resource, key, written, values, path }
        }),
      ),
    ),
  }
}

/** The keys of each part of a manifest, for the nearest one. */
const KNOWN = { '': schema, roles: role, users: user }

function shapeFault(source: Source, issues: readonly z.core.$ZodIssue[]): StartupError {
  const [first, ...others] = issues.map((issue) => ({ path: pathOf(issue), text: describe(issue) }))
  const more = others.map(({ path, text }) => `; line ${source.lineOf(path)}: ${text}`)
  return source.fault(first?.path ?? [], (first?.text ?? '') + more.join(''))
}

const pathOf = (issue: z.core.$ZodIssue): Path =>
  issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path

function describe(issue: z.core.$ZodIssue): string {
  const at = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys') {
    return issue.input === undefined ? `'${at}' is required` : `'${at}': ${issue.message}`
  }
  const part = String(issue.path[0] ?? '')
  const known = Object.keys(part in KNOWN ? KNOWN[part as keyof typeof KNOWN].shape : {})
  return issue.keys
    .map((key) => {
      const meant = nearest(key, known)
      return `unknown key '${[...issue.path, key].join('.')}'${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`
    })
    .join(', ')
}
