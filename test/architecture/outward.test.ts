import { describe, expect, it } from 'vitest'
import { PACKAGES, type Source } from './sources.ts'

/** What opens connections, or finds out where to. */
const OPENING = /^(?:undici|aws4fetch|ipaddr\.js|node:(?:dns(?:\/promises)?|https?|http2|net|tls|dgram))$/

/** The client of all that a definition asks for. */
const CLIENT = 'plugins/outbound/'
/** What takes connections, and what the operator alone says where to connect to. */
const APART = [
  'plugins/rest/',
  'plugins/metrics/',
  'plugins/management/',
  'plugins/mail/',
  'plugins/store/',
  'plugins/files/src/stores/s3.ts',
]
/** Files that import no more than they are listed with. */
const ALONE: Readonly<Record<string, string>> = {
  // What a name leads to, which tests replace.
  'kernel/src/environment.ts': 'node:dns/promises',
  // Signs, and opens nothing.
  'plugins/integrations/src/auth/sigv4.ts': 'aws4fetch',
  // Whether a text is an address.
  'plugins/ratelimit/src/client-key.ts': 'node:net',
}

/** Code of a page in a browser. */
const PAGES = new Set(['plugins/openapi/src/docs/init-script.ts'])

const shipped = PACKAGES.flatMap(({ sources }) => sources).filter(({ isTest }) => !isTest)
const isInside = ({ path }: Source, folders: readonly string[]) => folders.some((one) => path.startsWith(one))

describe('a connection to somewhere else', () => {
  it('is opened by the one client, and by what belongs to the operator', () => {
    const others = shipped.filter((source) => !isInside(source, [CLIENT, ...APART]))
    const found = others.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => OPENING.test(specifier) && ALONE[path] !== specifier)
        .map(({ specifier }) => `${path} -> ${specifier}`),
    )
    expect(found).toEqual([])
  })

  it('is opened by no function of Node that needs no import', () => {
    const global =
      /(?<![.\w])(?:await|return|=>?|void|\()\s*(?:globalThis\.)?fetch\(|new (?:WebSocket|EventSource)\(/
    const found = shipped
      .filter((source) => !isInside(source, ['plugins/store/']) && !PAGES.has(source.path))
      .flatMap(({ path, code }) =>
        code
          .split('\n')
          .flatMap((line, at) => (global.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
      )
    expect(found).toEqual([])
  })
})
