import { StartupError } from '@svc/kernel'
import type { z } from 'zod'
import type { Path } from '../definition/problem.ts'
import type { LanguageExtensions } from '../definition/schema/definition.ts'
import { buildCondition } from '../model/expression.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { vocabularyOf } from '../model/vocabulary.ts'
import type { Block, Placed, ResourceSite, Site } from './block.ts'

/** The keys that blocks add to the language. Two blocks of one key end the start. */
export const blockSchemas = (
  blocks: readonly Block[],
): Pick<LanguageExtensions, 'domainBlocks' | 'resourceBlocks'> => ({
  domainBlocks: schemasOf('domain', blocks),
  resourceBlocks: schemasOf('resource', blocks),
})

function schemasOf(on: Block['on'], blocks: readonly Block[]): Readonly<Record<string, z.ZodType>> {
  const schemas = new Map<string, z.ZodType>()
  for (const { key, schema } of blocks.filter((block) => block.on === on)) {
    if (schemas.has(key))
      throw new StartupError('domain', `two plugins own the key '${key}' of a ${on}`, 'Load one of them')
    schemas.set(key, schema)
  }
  return Object.fromEntries(schemas)
}

/** The model with what blocks make of its definition; their mistakes go to the report. */
export function withParts(model: Model, blocks: readonly Block[], report: Report): Model {
  if (blocks.length === 0) return model
  const parts = blocks.flatMap((block) => [...placedOf(block, model, report)])
  return Object.freeze({ ...model, parts })
}

function* placedOf(block: Block, model: Model, report: Report): Iterable<Placed> {
  const { key } = block
  if (block.on === 'domain') {
    const part = block.compile(written(model.definition, key), siteOf(model, ['domain', key], report))
    if (part) yield { key, resource: undefined, part }
    return
  }
  for (const resource of model.resources.values()) {
    const part = block.compile(
      written(resource.definition, key),
      resourceSiteOf(model, resource, key, report),
    )
    if (part) yield { key, resource, part }
  }
}

const written = (definition: object, key: string): unknown => new Map(Object.entries(definition)).get(key)

const siteOf = (model: Model, at: Path, report: Report): Site => ({
  model,
  problem: (path, message, hint) => report.problem([...at, ...path], message, hint),
  warning: (path, message, hint) => report.warning([...at, ...path], message, hint),
})

function resourceSiteOf(model: Model, resource: Resource, key: string, report: Report): ResourceSite {
  const at = ['domain', 'resources', resource.name, key]
  return {
    ...siteOf(model, at, report),
    resource,
    condition: (source, path) =>
      buildCondition(source, [...at, ...path], vocabularyOf(resource, 'write'), report),
  }
}
