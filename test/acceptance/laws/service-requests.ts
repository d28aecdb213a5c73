import type { Random } from '../../kit/random.ts'
import type { LawRequest } from './memory.ts'
import { encoded } from './queries.ts'
import type { RouteShape } from './shape.ts'
import { TEXTS } from './values.ts'

const PASSWORD = 'Correct-horse-7'
const DEFINITIONS = [
  '', '{', 'domain', 'domain: 1', 'domain: {}', '- a', '&a [*a]', '{"domain":{"name":"works"}}', 'domain: { name: auth, version: "1", resources: {} }',
  "domain: { name: tiny, version: '1', resources: { A: { object: { a: string } } } }",
  "domain: { name: tiny, version: '1', resources: { A: { object: { a: integer } } } }",
  "domain: { name: tiny, version: 2, resources: { A: { object: { a: nothing } } }, '__proto__': 1 }", '${HOME}', '%YAML 9', '!!js/function x', '\ud800',
] // prettier-ignore

/** Accounts that an attack may spoil without making other callers strangers. */
export const VICTIMS = ['vic1', 'vic2', 'vic3'] as const

type Make = (random: Random) => unknown

const text: Make = (random) => random.pick(TEXTS)
const victim: Make = (random) => random.pick([...VICTIMS, `new${random.int(30)}`, 'ab', 'admin '])
const email: Make = (random) =>
  random.pick(['vic1@example.org', `new${random.int(30)}@example.org`, 'x@', 'a@b.c'])
const password: Make = (random) => random.pick([PASSWORD, 'short', 'Wrong-horse-7', 'x'.repeat(1025)])
const token: Make = (random) => random.pick(['x', 'a.b.c', 'A'.repeat(43)])
const roles: Make = (random) => random.some(['agent', 'boss', 'nothing', 'admin', ''], random.int(3))
const flag: Make = (random) => random.chance(0.5)

/** The members of each body that is no record. */
const BODIES: Readonly<Record<string, Readonly<Record<string, Make>>>> = {
  'auth.login': { username: victim, password },
  'auth.register': { username: victim, email, password },
  'auth.refresh': { refresh_token: token },
  'auth.logout': { refresh_token: token },
  'auth.forgot-password': { email },
  'auth.reset-password': { token, new_password: password },
  'auth.verify-email': { token },
  'auth.change-password': { current_password: password, new_password: password },
  'auth.change-email': { new_email: email },
  'admin.users.roles': { roles },
  'admin.roles.create': { name: text, description: text },
  'admin.api-keys.create': { name: text, roles, expiresAt: (random) => random.pick(['2026-03-02T00:00:00Z', 'x', '2020-01-01T00:00:00Z']) },
  'svc.domain.submit': { content: (random) => random.pick(DEFINITIONS), format: (random) => random.pick(['yaml', 'json', 'xml']), allow_destructive: flag },
  'svc.domain.preview': { content: (random) => random.pick(DEFINITIONS), allow_destructive: flag },
  'svc.domain.rollback': { target_version: text },
} // prettier-ignore

const QUERIES: Readonly<Record<string, Make>> = {
  limit: (random) => random.pick(['1', '0', '501', '-1', 'x']),
  offset: (random) => random.pick(['0', '3', '-1', '1e3']),
  search: text,
  status: (random) => random.pick(['active', 'suspended', 'gone']),
  username: victim,
  action: text,
  status_code: (random) => random.pick(['200', '404', 'x', '-1']),
  after: (random) => random.pick(['2026-03-01T12:00:00Z', '2026-03-01', 'x']),
  format: (random) => random.pick(['resolved', 'yaml', 'x']),
}

const PARAMETERS: Readonly<Record<string, Make>> = {
  user: victim,
  domain: (random) => random.pick(['works', 'works', 'tiny', 'nothing', 'WORKS']),
  name: (random) => random.pick(['works', 'tiny', 'nothing', 'r1']),
}

/** Makes a request for what is no record: accounts, administration, domains, and the server itself. */
export function serviceRequest({ method, path, action }: RouteShape, random: Random): LawRequest {
  const made = (makers: Readonly<Record<string, Make>>, most: number) =>
    random.some(Object.keys(makers), most).map((name) => [name, makers[name]!(random)] as const)
  const body = BODIES[action]
  const query = method === 'GET' ? made(QUERIES, random.int(4)) : []
  const address = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String((PARAMETERS[name] ?? text)(random))),
  )
  const caller = action.startsWith('auth.')
    ? random.pick([...VICTIMS, undefined])
    : random.pick(['admin', 'admin', 'admin', 'ann', undefined])
  return {
    method,
    path: address,
    query: encoded(query.map(([name, value]) => [name, String(value)])),
    ...(caller !== undefined && { caller }),
    headers: {},
    ...(body && { body: JSON.stringify(Object.fromEntries(made(body, 9))) }),
  }
}
