import { onceOf } from '@svc/automation/contract'
import {
  blockKey,
  type Data,
  domainAction,
  type DomainAction,
  type DomainBlock,
  type RecordInput,
  type Site,
} from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import { type ActionAccess, type Call, type Caller, errors, Reply } from '@svc/kernel'
import { shownNotification } from '@svc/notifications/contract'
import { represent } from '@svc/rest/contract'
import type { Value } from '@svc/store/contract'
import { compileTemplate, type Template } from './compile/template.ts'
import { type TemplateDefinition, TemplateDefinitions } from './definition.ts'
import { templatesDocumentation } from './documentation.ts'
import { makeFile, type MadeFile } from './generate/make.ts'
import { type Admitted, admit } from './generate/request.ts'
import type { ReadStored } from './generate/stored.ts'
import { representationOf } from './download.ts'
import { failuresOf } from './events/failures.ts'
import { hearingOf } from './events/hearing.ts'
import { checksumOf, keepDocument } from './keep/keep.ts'
import { leaveOf } from './permission.ts'
import { holding, MANUAL } from './promises/hold.ts'
import type { Means } from './means.ts'
import { type DocumentStorage, STORAGE } from './storage.ts'

export const TEMPLATES = blockKey<ReadonlyMap<string, Template>>('templates')

type Written = Readonly<Record<string, TemplateDefinition>>
type Templates = ReadonlyMap<string, Template>

/** The key `templates` of a domain. */
export const templatesBlock = (means: Means): DomainBlock<Written, Templates> => ({
  on: 'domain',
  key: TEMPLATES.key,
  schema: TemplateDefinitions,
  after: [STORAGE.key],
  afterIfLoaded: [HISTORY.key],
  compile(written, site) {
    if (written === undefined) return undefined
    const templates = new Map(
      Object.entries(written).flatMap(([name, one]) => {
        const template = compileTemplate(name, one, site, means)
        return template ? [[name, template] as const] : []
      }),
    )
    const storage = site.made(STORAGE)
    means.note(site.model, templates)
    return {
      made: templates,
      ...hearingOf(templates, site, means),
      ...(storage && { actions: actionsOf(templates, storage, site, means) }),
      describe: () => ({ openapi: templatesDocumentation }),
    }
  },
})

function actionsOf(
  templates: Templates,
  storage: DocumentStorage,
  site: Site,
  means: Means,
): readonly DomainAction[] {
  const access = accessOf(templates)
  const find = (name = ''): Template => {
    const template = templates.get(name)
    if (template === undefined)
      throw errors.NOT_FOUND({ message: `There is no template '${name.slice(0, 100)}'` })
    return template
  }
  const made = async (
    input: RecordInput,
    call: Call,
    data: Data,
    read?: ReadStored,
  ): Promise<readonly [Admitted, MadeFile]> => {
    const admitted = await admit(find(input.path?.['name']), input, call, data, means, read)
    const file = await makeFile(admitted.request, admitted.locale, means)
    for (const message of file.warnings)
      call.warn({ rule: 'document', message, severity: 'warning', regulation: null })
    return [admitted, file]
  }
  return [
    domainAction<RecordInput>({
      name: 'list',
      summary: 'List the templates that you may generate or view',
      access,
      routes: ['GET /templates'],
      handle: (_, { caller }) => {
        const items = [...templates.values()].filter((one) => isShown(one, caller)).map(summaryOf)
        return { items, count: items.length, totalCount: items.length }
      },
    }),
    domainAction<RecordInput>({
      name: 'get',
      summary: 'Read a template',
      access,
      routes: ['GET /templates/:name'],
      async handle({ path }, { caller }, data) {
        const template = find(path?.['name'])
        if (!isShown(template, caller)) throw hidden(template, caller)
        return {
          ...summaryOf(template),
          ...definitionOf(template, site),
          ...(await toldAdmins(template, caller, data)),
        }
      },
    }),
    domainAction<RecordInput>({
      name: 'generate',
      summary: 'Generate a document of a template',
      access,
      routes: ['POST /templates/:name/generate'],
      notes: { status: 201 },
      async handle(input, call, data) {
        const { name } = find(input.path?.['name'])
        const document = await holding(name, data, means, async ({ read, keep }) => {
          const [admitted, file] = await made(input, call, data, read)
          const options = onceFor(admitted, call)
          return keepDocument({ admitted, file, storage, trigger: MANUAL, options }, means, keep)
        })
        const location = `${data.model.prefixes[0]}/documents/${document.id}`
        return new Reply({ status: 201, data: document as unknown as Value, headers: { Location: location } })
      },
    }),
    domainAction<RecordInput>({
      name: 'preview',
      summary: 'See what a template generates, without keeping it',
      access,
      routes: ['POST /templates/:name/preview'],
      notes: { direct: true, openapi: { type: '*/*', bytes: true } },
      async handle(input, call, data) {
        const [{ request }, { bytes, filename }] = await made(input, call, data)
        return represent(call, {
          ...representationOf(request.template.format, filename, checksumOf(bytes)),
          size: bytes.byteLength,
          modifiedAt: means.env.now(),
          read: async (from, length) => bytes.subarray(from, from + length),
        })
      },
    }),
  ]
}

/** Once for each `Idempotency-Key`. */
function onceFor({ request: { template, record, parameters }, locale }: Admitted, call: Call) {
  const { resource } = template.data
  const recordId = resource && record ? String(record[resource.key.name]) : null
  const asked = { recordId, parameters, locale: locale.localeResolved }
  return onceOf(call, `templates generate ${template.name}`, asked)
}

/** The definition as its author wrote it, but for what of a channel stands in no answer. */
function definitionOf({ name, definition: { notification } }: Template, site: Site): object {
  const written = { ...(site.written([name]) as object), name }
  if (notification === undefined) return written
  const { attach, ...rest } = notification
  const shown = shownNotification(rest) as object
  return { ...written, notification: { ...shown, ...(attach !== undefined && { attach }) } }
}

async function toldAdmins({ name }: Template, caller: Caller, { model, reader }: Data): Promise<object> {
  const isAdmin = caller.kind === 'system' || caller.roles.includes('admin')
  return isAdmin ? { failures: await failuresOf(model.name, name, reader) } : {}
}

/** Who reaches the handlers, which decide. */
const accessOf = (templates: Templates): ActionAccess =>
  [...templates.values()].some(({ generate, view }) =>
    [generate, view].some(({ roles }) => roles?.includes('*') === true),
  )
    ? ['*']
    : 'record'

const isShown = ({ generate, view }: Template, caller: Caller): boolean =>
  [generate, view].some((one) => leaveOf(one, caller) !== 'no')

const hidden = ({ name }: Template, { kind }: Caller) =>
  kind === 'anonymous'
    ? errors.UNAUTHORIZED()
    : errors.FORBIDDEN({ message: `You may neither generate nor view the template '${name}'` })

function summaryOf({ name, definition, format, data }: Template) {
  const {
    label = null,
    description = null,
    trigger = 'manual',
    parameters = [],
    permissions = {},
  } = definition
  const generate = permissions.generate ?? ['admin']
  return {
    name,
    label,
    description,
    resource: data.resource?.name ?? null,
    format,
    trigger,
    parameters,
    permissions: { generate, view: permissions.view ?? generate },
  }
}
