import { DefinitionError, type Problem } from '../definition/problem.ts'
import { createLanguage, readModel } from '../lifecycle/read-model.ts'

const language = createLanguage()

export type Json = Record<string, unknown>

/** A domain of one resource, Post, with these keys, and further keys of the domain. */
export const definitionOf = (post: Json, domain: Json = {}): Json => {
  const { resources = {}, ...others } = domain as { resources?: Json }
  const own = { object: { title: 'string' }, ...post }
  return { domain: { name: 'blog', version: '1', resources: { Post: own, ...resources }, ...others } }
}

const read = (definition: Json) =>
  readModel({ text: JSON.stringify(definition), format: 'json' }, language, () => undefined)

/** What a definition is refused with; undefined where it is used. */
export async function refusalOf(definition: Json): Promise<DefinitionError | undefined> {
  try {
    await read(definition)
  } catch (error) {
    if (error instanceof DefinitionError) return error
    throw error
  }
  return undefined
}

export const problemsOf = async (definition: Json): Promise<readonly Problem[]> =>
  (await refusalOf(definition))?.problems ?? []

export const warningsOf = async (definition: Json): Promise<readonly Problem[]> =>
  (await read(definition)).idle

export const told = ({ path, message, hint }: Problem): string => {
  const at = path.join('.').replace('domain.resources.Post.', '')
  return `${at}: ${message}${hint === undefined ? '' : ` — ${hint}`}`
}

/** What is wrong: the path from Post on, the message and the hint, each problem on a line of its own. */
export interface Case {
  readonly name: string
  readonly post?: Json
  readonly domain?: Json
  readonly told: readonly string[]
}

/** A resource that belongs to Post. */
export const Comment = {
  object: { body: 'text' },
  relationships: { post: { type: 'belongsTo', target: 'Post' } },
}
export const Tag = { object: { name: 'string' } }
/** Keys of a Post with a state machine over `status`. */
export const machine = (states: Json, more: Json = {}) => ({
  object: { status: 'string', at: 'datetime', seq: 'autoincrement', on: 'boolean' },
  stateMachine: { field: 'status', initial: 'draft', states, ...more },
})
