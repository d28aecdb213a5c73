import { StartupError } from '@svc/kernel'
import { z } from 'zod'
import { noteRestrictions } from '../access/restrictions.ts'
import type { Block } from '../contract/block.ts'
import type { Placed } from '../contract/part.ts'
import type { LanguageExtensions } from '../definition/schema/definition.ts'
import type { Model } from '../model/model.ts'
import { type Around, resourceSiteOf, siteOf } from './site.ts'

/** What blocks add to the language. Two of one key or feature end the start. */
export const blockSchemas = (
  blocks: readonly Block[],
): Pick<LanguageExtensions, 'domainBlocks' | 'resourceBlocks' | 'features'> => ({
  domainBlocks: schemasOf('domain', blocks),
  resourceBlocks: schemasOf('resource', blocks),
  features: featuresOf(blocks),
})

function schemasOf(on: Block['on'], blocks: readonly Block[]): Readonly<Record<string, z.ZodType>> {
  const own = blocks.filter((block) => block.on === on)
  return unique(
    own.flatMap(({ key, schema }) => (schema ? [[key, schema] as const] : [])),
    (key) => `the key '${key}' of a ${on}`,
  )
}

function featuresOf(blocks: readonly Block[]): Readonly<Record<string, z.ZodType>> {
  const owned = blocks.flatMap((block) =>
    block.on === 'resource' ? Object.entries(block.features ?? {}) : [],
  )
  return unique(
    owned.map(([name, description]) => [name, z.boolean().optional().describe(description)] as const),
    (name) => `the feature '${name}'`,
  )
}

function unique<T>(entries: readonly (readonly [string, T])[], what: (name: string) => string) {
  const found = new Map<string, T>()
  for (const [name, value] of entries) {
    if (found.has(name)) throw new StartupError('domain', `two plugins own ${what(name)}`, 'Load one of them')
    found.set(name, value)
  }
  return Object.fromEntries(found)
}

/**
 * The model with what blocks make of its definition; their mistakes go to the report of what is around. A block is handed the model that
 * has its part in the end, with the parts of those before it.
 */
export function withParts(model: Model, blocks: readonly Block[], around: Around): Model {
  if (blocks.length === 0) return model
  const parts: Placed[] = []
  const whole = Object.freeze({ ...model, parts })
  for (const block of blocks) for (const placed of placedOf(block, whole, around)) parts.push(placed)
  Object.freeze(parts)
  noteRestrictions(whole)
  return whole
}

function* placedOf(block: Block, model: Model, around: Around): Iterable<Placed> {
  const { key } = block
  if (block.on === 'domain') {
    const part = block.compile(written(model.definition, key), siteOf(block, model, ['domain', key], around))
    if (part) yield { key, resource: undefined, part }
    return
  }
  for (const resource of model.resources.values()) {
    const site = resourceSiteOf(block, model, resource, around)
    const part = block.compile(written(resource.definition, key), site)
    if (part) yield { key, resource, part, changes: block.changes ?? [] }
  }
}

const written = (definition: object, key: string): unknown => new Map(Object.entries(definition)).get(key)
