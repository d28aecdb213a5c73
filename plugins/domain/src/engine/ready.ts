import { DefinitionError, type Position, type Problem } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'

/** Lets the parts of a model fetch what its values are read and written by. Throws DefinitionError. */
export async function makeReady(
  { parts }: Model,
  positionOf?: (path: Problem['path']) => Position | undefined,
): Promise<void> {
  const problems: Problem[] = []
  for (const { part } of parts) problems.push(...((await part.ready?.()) ?? []))
  if (problems.length === 0) return
  throw new DefinitionError(
    problems.map((one) => {
      const position = positionOf?.(one.path)
      return { ...one, ...(position && { position }) }
    }),
  )
}
