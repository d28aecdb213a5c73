import type { Action, Logger, Release } from '@svc/kernel'
import type { Model } from '@svc/domain/contract'
import { createCatalog } from './catalog.ts'
import { describeParts } from './described.ts'
import { filterParameters } from './filters.ts'
import { buildPaths } from './paths.ts'
import { notesOf } from './notes.ts'
import type { Schema } from './parts.ts'
import { resourceSchemas } from './resource-schemas.ts'
import { SHARED_PARAMETERS } from './shared/parameters.ts'
import { SHARED_HEADERS, SHARED_RESPONSES } from './shared/responses.ts'
import { SHARED_SCHEMAS } from './shared/schemas.ts'
import { tagsOf } from './tags.ts'
import { codes, paragraphs, shownText } from './text.ts'
import { withoutUnused } from './unused.ts'

/** An OpenAPI 3.1.0 document. */
export type Document = Readonly<Record<string, unknown>>

/** What documents are made of. */
export interface Sources {
  readonly release: Pick<Release, 'version'>
  readonly actions: readonly Action[]
  readonly models: readonly Model[]
  readonly log: Logger
}

/** The document of the whole server. */
export const serviceDocument = ({ release, actions, models, log }: Sources): Document =>
  assemble({
    info: {
      title: 'svc',
      version: release.version,
      description: paragraphs(
        'Everything that this server answers: accounts, administration, and each domain that was submitted.',
        signingIn(actions),
        CONVENTIONS,
      ),
      'x-svc-version': release.version,
    },
    actions,
    models,
    isQualified: true,
    log,
  })

/** The document of one domain: what its resources and its other actions answer. */
export const domainDocument = ({ release, actions, log }: Sources, model: Model): Document =>
  assemble({
    info: {
      title: shownText(model.definition.label, model) ?? model.name,
      version: model.version,
      description: paragraphs(model.description, aliases(model), signingIn(actions), CONVENTIONS),
      'x-svc-version': release.version,
    },
    actions: actions.filter((action) => notesOf(action, log).domain === model.name || isAboutAccount(action)),
    models: [model],
    isQualified: false,
    log,
  })

/** What a client needs to get a token, to renew it and to give it back. */
const isAboutAccount = ({ name }: Action): boolean => name.startsWith('auth.')

interface Parts {
  readonly info: object
  readonly actions: readonly Action[]
  readonly models: readonly Model[]
  /** Whether names of components begin with the domain. */
  readonly isQualified: boolean
  readonly log: Logger
}

function assemble({ info, actions, models, isQualified, log }: Parts): Document {
  const described = describeParts(models, Object.keys(SHARED_SCHEMAS), log)
  const schemas: Record<string, Schema> = { ...SHARED_SCHEMAS, ...described.schemas }
  const catalog = createCatalog(models, { isQualified, taken: Object.keys(schemas) })
  const { entries, claim } = catalog
  for (const entry of entries) Object.assign(schemas, resourceSchemas(entry, catalog))
  const { paths, tags } = buildPaths({ actions, catalog, described, definitions: { claim, schemas }, log })
  return withoutUnused({
    openapi: '3.1.0',
    info: { ...info, license: LICENSE },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ bearerAuth: [] }],
    tags: tagsOf(tags, entries),
    paths,
    components: {
      schemas,
      parameters: Object.assign({}, SHARED_PARAMETERS, ...entries.map(filterParameters)),
      responses: SHARED_RESPONSES,
      headers: SHARED_HEADERS,
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  })
}

/** The service says nothing of the terms on which its operator lets others use it; SPDX has an identifier for that. */
const LICENSE = { name: 'License not stated', identifier: 'NOASSERTION' }

function aliases({ prefixes }: Model): string | undefined {
  const [canonical, ...others] = prefixes
  return others.length === 0
    ? undefined
    : `All of it answers under ${codes(others)} as well as under \`${canonical}\`.`
}

/** How to get a token, where this server has accounts. */
function signingIn(actions: readonly Action[]): string | undefined {
  const route = actions.find(({ name }) => name === 'auth.login')?.routes?.[0]
  return (
    route &&
    `**Signing in.** \`${route}\` answers an \`access_token\`; send it as \`Authorization: Bearer …\`.`
  )
}

const CONVENTIONS = [
  '**Answers.** What went well comes as `{status: "ok", code, data}`, all else as `{status: "error", code, error_code, error_message}`.',
  '**Lists.** `page` and `limit` choose a part, `sort` the order, `filter[field]` and `filter[field][operator]` the records. `filter[author.name]` and `sort=author.name` ask related records, at most two relationships away; in a list, `filter` wants one record that has it.',
  '**Nothing is ignored in silence.** What a request asked for in vain comes back in `warnings`; with the header `Prefer: handling=strict` it is `INVALID_QUERY`.',
  '**Headers.** Every answer has `X-Request-Id`, `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`; that of one record has an `ETag`.',
  '**Operators:** `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `like`, `in` and `null`, each where the type of the field has it.',
].join('\n\n')
