import type { Resource } from '../model/resource.ts'
import { CHANGES_TOLD } from './emit.ts'

/** The hooks of a resource's states, each once, in the order of the definition. */
export const hooksOf = ({ stateMachine }: Pick<Resource, 'stateMachine'>): readonly string[] => [
  ...new Set(
    [...(stateMachine?.states.values() ?? [])].flatMap(({ onExit, onEnter }) => [...onExit, ...onEnter]),
  ),
]

/** What the bus may hear of a resource, below its `actionPrefix`: changes of its records and columns, its hooks and custom operations. */
export const heardOf = (resource: Pick<Resource, 'stateMachine' | 'api'>): readonly string[] => [
  ...CHANGES_TOLD,
  'schemaChanged',
  ...hooksOf(resource),
  ...resource.api.customOperations.map(({ name }) => name),
]
