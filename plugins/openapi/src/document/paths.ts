import { type Action, type Logger, routeParameters, routeShape } from '@svc/kernel'
import { actionOperation } from './action-operation.ts'
import type { OperationDescription } from '@svc/domain/contract'
import type { Catalog } from './catalog.ts'
import type { Described } from './described.ts'
import type { Definitions } from './input-schema.ts'
import { createNames } from './names.ts'
import { notesOf, type Notes } from './notes.ts'
import { describedOperation } from './operations/described.ts'
import { documentationOf } from './operations/index.ts'
import type { RecordOperation } from './operations/operation.ts'
import { withRemarks } from './operations/remarks.ts'
import type { Content, Parameter, Parts, Reference, Schema } from './parts.ts'
import { refer } from './parts.ts'
import { type DocumentedRoute, routesOf } from './routes.ts'
import { ALWAYS, type Failure, statusOf } from './shared/failures.ts'
import { codes, paragraphs } from './text.ts'

/** The addresses of a document, and the tags that its operations bear. */
export interface Paths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly tags: ReadonlySet<string>
}

export interface PathsOptions {
  readonly actions: readonly Action[]
  readonly catalog: Catalog
  readonly described: Described
  readonly definitions: Definitions
  readonly log: Logger
}

/** Documents every route of the actions. */
export function buildPaths({ actions, catalog, described, definitions, log }: PathsOptions): Paths {
  const paths: Record<string, Record<string, object>> = {}
  const tags = new Set<string>()
  const claimId = createNames()
  const templates = createTemplates()
  for (const action of actions) {
    const notes = notesOf(action, log)
    if (notes.openapi === false) continue
    const model = catalog.entries.find(({ model: { name } }) => name === notes.domain)?.model
    const tag = tagOf(action, notes, catalog)
    for (const route of routesOf(action, model)) {
      const template = templates(route.path)
      const parts = partsOf(route, notes, { catalog, described, definitions })
      tags.add(tag)
      const item = (paths[template.path] ??= {})
      // As a template it is the same as a path with a parameter there, which is found before it.
      if (template.isRest && item[route.method.toLowerCase()] !== undefined) continue
      item[route.method.toLowerCase()] = {
        operationId: claimId(action.name),
        tags: [tag],
        ...(action.summary !== undefined && { summary: action.summary }),
        ...aboutOperation(parts, action),
        ...(isPublic(action) && { security: [] }),
        ...takes(parts, route, template.parameters),
        responses: responsesOf(parts, route),
      }
    }
  }
  return { paths, tags }
}

const isPublic = ({ access }: Action): boolean => access !== 'record' && access.includes('*')

/** The resource where there is one, else the action's name without its last part. */
function tagOf({ name }: Action, { record }: Notes, catalog: Catalog): string {
  const entry = record && catalog.find(record.domain, record.resource)
  return entry?.tag ?? name.replace(/^svc\./, '').replace(/\.[^.]*$/, '')
}

function partsOf(
  route: DocumentedRoute,
  notes: Notes,
  { catalog, described, definitions }: Pick<PathsOptions, 'catalog' | 'described' | 'definitions'>,
): Parts {
  const { action, method, path, parameters } = route
  const entry = notes.record && catalog.find(notes.record.domain, notes.record.resource)
  const operation = entry && { entry, operation: notes.record!.operation, method, path }
  const said = operation && saidOf(operation, described)
  const document = operation && documentationOf(operation, catalog)
  const plain = () =>
    actionOperation(
      { action, notes, method, pathParameters: parameters.map(({ name }) => name) },
      definitions,
    )
  if (entry === undefined) return withSaid(plain(), saidOfAction(notes, described))
  const own = said ? describedOperation(said, entry) : document ? document(operation) : plain()
  const remarks = described.writes(entry.model, entry.resource.name)
  const parts = operation ? withRemarks(own, operation, remarks) : own
  const { key, fields } = entry.resource
  const foreign = [...fields].map(([name, { compiled }]) => [name, compiled.openapi] as const)
  return { ...parts, path: { ...Object.fromEntries(foreign), ...parts.path, id: key.compiled.openapi } }
}

/** What the key of a domain says of an action of its own. */
const saidOfAction = ({ domain, block }: Notes, described: Described): OperationDescription | undefined =>
  domain !== undefined && block ? described.action(domain, block.key, block.action) : undefined

/** What an action's schemas tell, and what is said besides. */
function withSaid(plain: Parts, said: OperationDescription | undefined): Parts {
  if (said === undefined) return plain
  const { parameters = [], failures = [], success, body, ...more } = describedOperation(said, undefined)
  return {
    ...plain,
    ...more,
    parameters: [...(plain.parameters ?? []), ...parameters],
    ...(body && { body }),
    success: said.answers ? { ...success, status: plain.success.status } : plain.success,
    failures: [...(plain.failures ?? []), ...failures],
  }
}

/** What the block of an operation says of it. */
function saidOf(
  { entry, operation }: RecordOperation,
  described: Described,
): OperationDescription | undefined {
  const placed = entry.model.parts.find(
    (one) =>
      one.resource !== undefined &&
      one.resource === entry.resource &&
      one.part.operations?.some(({ name }) => name === operation),
  )
  return placed && described.operation(placed.part, operation)
}

function aboutOperation({ description }: Parts, { access }: Action): { description?: string } {
  const text = paragraphs(description, accessNote(access))
  return text === undefined ? {} : { description: text }
}

function accessNote(access: Action['access']): string | undefined {
  if (access === 'record') return '**Open to** signed-in users; the record decides.'
  if (access.includes('*')) return undefined
  if (access.includes('authenticated')) return '**Open to** every signed-in user.'
  return access.length === 0 ? '**Open to** nobody.' : `**Open to** ${codes(access)}.`
}

function takes(
  { path = {}, parameters = [], body }: Parts,
  route: DocumentedRoute,
  names: readonly string[],
): object {
  const inPath = route.parameters.map(({ name, isRest }, at) =>
    pathParameter(names[at] ?? name, isRest ? restOf(path[name]) : path[name]),
  )
  const all: readonly (Parameter | Reference)[] = [...inPath, ...parameters]
  return {
    ...(all.length > 0 && { parameters: all }),
    ...(body && { requestBody: { required: body.required, content: contentsOf(body) } }),
  }
}

/** The schema of a parameter that stands for the rest of a path: a template has no word for its slashes. */
function restOf(schema: Schema = { type: 'string' }): Schema {
  const description = paragraphs(
    typeof schema['description'] === 'string' ? schema['description'] : undefined,
    'The rest of the path: it may have several segments, whose slashes are sent as they are.',
  )
  return { ...schema, ...(description !== undefined && { description }) }
}

function pathParameter(name: string, schema: Schema = { type: 'string' }): Parameter {
  const { description, readOnly: _, ...rest } = schema
  return {
    name,
    in: 'path',
    required: true,
    ...(typeof description === 'string' && { description }),
    schema: rest,
  }
}

const contentsOf = ({ otherTypes = [], ...content }: NonNullable<Parts['body']>) =>
  Object.assign({}, ...[content.type, ...otherTypes].map((type) => contentOf({ ...content, type })))

const contentOf = ({ type, schema, example }: Content) => ({
  [type]: { schema, ...(example && { example }) },
})

function responsesOf(
  { success, failures = [], body }: Parts,
  { action, method, parameters }: DocumentedRoute,
): object {
  const { status, description, content, isTagged, isInParts } = success
  const happening: readonly Failure[] = [
    ...failures,
    ...(parameters.length > 0 ? (['NotFound'] as const) : []),
    ...(body ? (['BadRequest', 'PayloadTooLarge', 'UnsupportedMediaType', 'ValidationError'] as const) : []),
    ...(isPublic(action) && method === 'GET' ? [] : (['Unauthorized', 'Forbidden'] as const)),
    ...ALWAYS,
  ]
  const failed = [...new Set(happening)].map(
    (name) => [String(statusOf(name)), refer('responses', name)] as const,
  )
  const sorted = failed.sort(([a], [b]) => Number(a) - Number(b))
  return {
    [status]: {
      description,
      ...(isTagged && { headers: TAG }),
      ...(content && { content: contentOf(content) }),
    },
    ...(isInParts && content && { 206: { description: 'The part', content: contentOf(content) } }),
    ...Object.fromEntries(sorted),
  }
}

const TAG = { ETag: refer('headers', 'ETag') }

interface Template {
  /** The path with its parameters as `{name}`. */
  readonly path: string
  /** The names of its parameters. */
  readonly parameters: readonly string[]
  /** Whether the last parameter stands for the rest of the path. */
  readonly isRest: boolean
}

/** Turns paths into templates; two that differ in parameter names alone are one path (OpenAPI 3.1, section 4.8.8). */
function createTemplates(): (path: string) => Template {
  const known = new Map<string, Omit<Template, 'isRest'>>()
  return (path) => {
    const parameters = routeParameters(path)
    const isRest = parameters.some((parameter) => parameter.isRest)
    const shape = routeShape(path).replace(/\*$/, ':')
    const template = known.get(shape) ?? {
      path: path.replaceAll(/\/[:*]([^/]+)/g, '/{$1}'),
      parameters: parameters.map(({ name }) => name),
    }
    known.set(shape, template)
    return { ...template, isRest }
  }
}
