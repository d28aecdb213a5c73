import type { Model } from '@svc/domain/contract'
import { createUuidV7, defineAction } from '@svc/kernel'
import type { Documents } from './contract.ts'
import type { Template } from './compile/template.ts'
import { documentsBlock } from './documents-block.ts'
import { failures } from './events/failures.ts'
import { promises } from './promises/promises.ts'
import { declareGenerating } from './events/work.ts'
import { ENCLOSURE, openEnclosed } from './keep/tell.ts'
import { createKeptRegister } from './kept/kept.ts'
import { keptPerformer } from './kept/performer.ts'
import type { DocumentsContext, Means } from './means.ts'
import type { OpenDomain } from './open-domain.ts'
import { templatePerformer } from './performer.ts'
import { signableDocuments } from './signed.ts'
import { storageBlock } from './storage.ts'
import { documents } from './table.ts'
import { templatesBlock } from './templates-block.ts'

/** Makes the tables of documents, adds the keys of templates to the language, and generates what writes promise. */
export async function startDocuments(context: DocumentsContext): Promise<Documents> {
  const { store, domains, env, files, jobs, automation, notifications } = context
  const noted = new WeakMap<Model, ReadonlyMap<string, Template>>()
  const open = new Map<string, OpenDomain>()
  const means: Means = {
    ...context,
    newId: createUuidV7(env),
    open,
    generating: () => generating,
    kept: createKeptRegister(),
    note: (model, templates) => void noted.set(model, templates),
  }
  const generating = declareGenerating(jobs, () => means)
  await store.ensure([documents, promises, failures])
  domains.block(storageBlock)
  domains.block(templatesBlock(means))
  domains.block(documentsBlock(means))
  context.actions.add(
    defineAction({
      name: 'documents.sweep',
      summary: 'Take away documents whose time is over, and bytes that no document is about',
      access: [],
      async handle(_, { signal }) {
        for (const domain of open.values()) await domain.sweep(signal)
        return {}
      },
    }),
  )
  files.signs(signableDocuments(means))
  notifications.encloses(ENCLOSURE, openEnclosed(open, means))
  automation.performs(
    'template',
    templatePerformer(means, (model) => noted.get(model) ?? new Map()),
  )
  return {
    keeps(kind) {
      automation.performs(kind, keptPerformer(kind, means))
      return (model, all) => means.kept.note(kind, model, all)
    },
  }
}
