import { type Problem, problem } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'
import { pairModels } from './pairs.ts'

/** Changes that no migration makes: the key of records that are there, which others may know by it. */
export function refusedChanges(from: Model, to: Model): readonly Problem[] {
  return pairModels(from, to).resources.kept.flatMap((pair) => {
    const key = pair.fields.kept.find((fields) => fields.from === pair.from.key)?.to
    const kind = pair.from.key.compiled.type.name
    if (key === pair.to.key && key.column?.kind === pair.from.key.column?.kind) return []
    return problem(
      ['domain', 'resources', pair.to.name, 'object', pair.to.key.name],
      `the key of '${pair.to.name}' cannot change: it is '${pair.from.key.name}' (${kind})`,
      undefined,
      'keep the key, or declare a new resource',
    )
  })
}
