import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { BlockOperation } from '../contract/operation.ts'

/** The operations that blocks add to a resource. */
export const operationsOf = ({
  model,
  resource,
}: {
  readonly model: Pick<Model, 'parts'>
  readonly resource: Resource
}): readonly BlockOperation[] =>
  model.parts.flatMap((placed) =>
    placed.resource !== undefined && placed.resource === resource ? (placed.part.operations ?? []) : [],
  )

/** The kinds of change that blocks bring about. */
export const kindsOf = ({ parts }: Pick<Model, 'parts'>): readonly string[] =>
  parts.flatMap((placed) => (placed.resource === undefined ? [] : placed.changes))
