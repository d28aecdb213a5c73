import {
  type Data,
  domainAction,
  type DomainAction,
  type DomainBlock,
  type RecordInput,
  type Resource,
} from '@svc/domain/contract'
import { type ActionAccess, type Call, errors, repeat, Reply } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import type { Template } from './compile/template.ts'
import { documentsDocumentation } from './documentation.ts'
import { download } from './download.ts'
import { PROMISE, promises } from './promises/promises.ts'
import { viewedOf } from './kept/kept.ts'
import { mentionsIn, reportsKept } from './mentions.ts'
import { removeDocuments } from './keep/remove.ts'
import { listDocuments } from './list.ts'
import type { OpenDomain } from './open-domain.ts'
import type { Means } from './means.ts'
import { STORAGE } from './storage.ts'
import { createSweep, SWEEP_PERIOD_MS } from './sweep.ts'
import { DOCUMENT, documentOf, documents, findDocument, type GeneratedDocument } from './table.ts'
import { TEMPLATES } from './templates-block.ts'
import { assertView, type Templates } from './view.ts'

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The documents of every domain: nothing is written for them. They are reached where the definition speaks of any. */
export const documentsBlock = (means: Means): DomainBlock => ({
  on: 'domain',
  key: 'documents',
  after: [TEMPLATES.key, STORAGE.key],
  afterIfLoaded: ['reports'],
  compile(_, site) {
    const { model } = site
    const templates = site.made(TEMPLATES) ?? new Map<string, Template>()
    const kept = means.kept.of(model)
    const viewed: Templates = new Map([...templates, ...viewedOf(kept)])
    const storage = site.made(STORAGE)
    const isDeclared =
      Object.hasOwn(model.definition, TEMPLATES.key) ||
      storage?.isDeclared === true ||
      Object.hasOwn(model.definition, 'reports')
    return {
      ...(isDeclared && {
        actions: actionsOf(viewed, means),
        describe: () => ({ openapi: documentsDocumentation }),
      }),
      keeps: (resource) => [
        {
          table: promises,
          recordId: PROMISE.recordId,
          values: [PROMISE.record],
          where: {
            op: 'and',
            of: [
              { op: 'eq', column: PROMISE.domain, value: model.name },
              { op: 'eq', column: PROMISE.resource, value: resource.name },
            ],
          },
        },
        {
          told: 'documents',
          apart: true,
          table: documents,
          recordId: DOCUMENT.recordId,
          values: [DOCUMENT.filename, DOCUMENT.metadata],
          where: {
            op: 'and',
            of: [
              { op: 'eq', column: DOCUMENT.domain, value: model.name },
              { op: 'eq', column: DOCUMENT.resource, value: resource.name },
            ],
          },
        },
      ],
      mentions: mentionsIn(model.name),
      unresolving: (_, reader) => reportsKept(model.name, reader),
      erase: async (resource: Resource, keys, writes) => {
        const gone = await documentsWhere(model.name, writes, [
          { op: 'eq', column: DOCUMENT.resource, value: resource.name },
          { op: 'in', column: DOCUMENT.recordId, values: keys.map(String) },
        ])
        await removeDocuments(gone, writes, means)
      },
      open(data) {
        if (storage === undefined) return undefined
        const { log, open } = means
        const domain: OpenDomain = {
          data,
          templates,
          kept,
          viewed,
          storage,
          isReachable: isDeclared,
          sweep: createSweep(data, storage, means),
        }
        open.set(model.name, domain)
        const end = repeat(domain.sweep, {
          firstMs: 0,
          everyMs: SWEEP_PERIOD_MS,
          log,
          failure: 'documents.sweep_failed',
        })
        return async () => {
          if (open.get(model.name) === domain) open.delete(model.name)
          await end()
        }
      },
    }
  },
})

async function documentsWhere(
  domain: string,
  reader: Data['reader'],
  where: readonly Condition[],
): Promise<readonly GeneratedDocument[]> {
  const of: readonly Condition[] = [{ op: 'eq', column: DOCUMENT.domain, value: domain }, ...where]
  const rows = await reader.select({
    table: documents,
    columns: documents.columns,
    where: { op: 'and', of },
    order: [],
  })
  return rows.map(documentOf)
}

function actionsOf(templates: Templates, means: Means): readonly DomainAction[] {
  const isForAll = [...templates.values()].some(({ view }) => view.roles?.includes('*') === true)
  const access: ActionAccess = isForAll ? ['*'] : 'record'
  const found = async ({ path }: RecordInput, data: Data): Promise<GeneratedDocument> => {
    const id = path?.['id'] ?? ''
    const document = ID.test(id)
      ? await findDocument(id.toLowerCase(), data.model.name, data.reader)
      : undefined
    if (document === undefined)
      throw errors.NOT_FOUND({ message: `There is no document '${id.slice(0, 100)}'` })
    return document
  }
  const seen = async (input: RecordInput, call: Call, data: Data): Promise<GeneratedDocument> => {
    const document = await found(input, data)
    await assertView(document, call.caller, templates, data, () => means.env.now())
    return document
  }
  return [
    domainAction<RecordInput>({
      name: 'list',
      summary: 'List the documents that you may view',
      access,
      routes: ['GET /documents'],
      handle: ({ query }, call, data) =>
        listDocuments(query ?? {}, call, data, templates, () => means.env.now()),
    }),
    domainAction<RecordInput>({
      name: 'get',
      summary: 'Read what is known of a document',
      access,
      routes: ['GET /documents/:id'],
      handle: seen,
    }),
    domainAction<RecordInput>({
      name: 'download',
      summary: 'Read a document, or a part of it',
      access,
      routes: ['GET /documents/:id/download'],
      notes: { direct: true, openapi: { type: '*/*', bytes: true } },
      async handle(input, call, data) {
        return download(await seen(input, call, data), call, means)
      },
    }),
    domainAction<RecordInput>({
      name: 'delete',
      summary: 'Delete a document',
      access: ['admin'],
      routes: ['DELETE /documents/:id'],
      notes: { status: 204 },
      async handle(input, call, data) {
        const document = await found(input, data)
        const count = await data.write(call, (writes) => removeDocuments([document], writes, means))
        if (count === 0) throw errors.NOT_FOUND({ message: `There is no document '${document.id}'` })
        return Reply.empty()
      },
    }),
  ]
}
