import { isReservedDomain } from '@svc/domain/contract'
import { randomBytes } from 'node:crypto'

/** One file of a new project. */
export interface ProjectFile {
  readonly name: string
  readonly text: string
  readonly mode: number
}

const SCHEMA = 'definition.schema.json'
/** What is nobody else's to read. */
const SECRET_MODE = 0o600
const MODE = 0o644

/** The files of a new project whose folder is called `folder`; `schema` is the language of its definition. */
export function projectFiles(folder: string, schema: string): readonly ProjectFile[] {
  const name = domainName(folder)
  return [
    { name: 'svc.json', text: configuration(name), mode: MODE },
    { name: 'domain.yaml', text: definition(name), mode: MODE },
    { name: SCHEMA, text: schema, mode: MODE },
    { name: '.env', text: secrets(), mode: SECRET_MODE },
    { name: '.gitignore', text: '.env\ndata/\n', mode: MODE },
  ]
}

/** The nearest name that a domain may have. */
export function domainName(folder: string): string {
  const plain = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/-+$/, '')
    .slice(0, 36)
  if (plain === '') return 'app'
  return isReservedDomain(plain) ? `my-${plain}` : plain
}

const configuration = (name: string): string => `{
  "environment": "\${SVC_ENVIRONMENT:production}",
  "rest": { "port": 8080 },
  "sqlite": { "path": "data/${name}.db" },
  "auth": { "jwt": { "secret": "\${SVC_JWT_SECRET}" } },
  "domain": { "domain_file": "domain.yaml" }
}
`

const secrets =
  (): string => `# Variables that svc.json reads. The environment counts before this file, which belongs into no repository.
SVC_ENVIRONMENT=development
SVC_JWT_SECRET=${randomBytes(48).toString('base64url')}
`

const definition = (name: string): string => `# yaml-language-server: $schema=./${SCHEMA}
# The whole backend: tables, endpoints, checks and permissions. In development a change counts as soon as it is saved.
domain:
  name: ${name}
  version: '0.1.0'
  resources:
    Task:
      object:
        title: { type: string, required: true, minLength: 1, maxLength: 200 }
        notes: text
        done: { type: boolean, default: false }
        createdById: uuid
        createdAt: datetime
      permissions:
        list: ['*']
        get: ['*']
        create: [authenticated]
        update: [owner, admin]
        delete: [owner, admin]
`
