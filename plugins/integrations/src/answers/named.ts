import type { RecordInput } from '@svc/domain/contract'
import { type Call, errors } from '@svc/kernel'
import type { Column, Condition } from '@svc/store/contract'
import type { Integration } from '../integration.ts'
import type { Operation } from '../operation.ts'
import type { Setting } from '../run/means.ts'

/** The one of a name. Throws NOT_FOUND. */
function named<T>(name: string, all: ReadonlyMap<string, T>, what: string): T {
  const found = all.get(name)
  if (found !== undefined) return found
  throw errors.NOT_FOUND({ message: `There is no ${what} '${name.slice(0, 63)}'` })
}

/** The integration of a name. Throws NOT_FOUND. */
export const integrationNamed = (name: string, all: ReadonlyMap<string, Integration>): Integration =>
  named(name, all, 'integration')

/** An operation that is done by hand. Throws NOT_FOUND. */
export function operationNamed(name: string, { operations }: Integration): Operation {
  const operation = named(name, operations, 'operation')
  if (operation.manual) return operation
  throw errors.NOT_FOUND({ message: `The operation '${operation.name}' is not done by hand` })
}

/** The rows of the integration that a path names, for those whom its door lets in. */
export const withinIntegration =
  ({ integrations, parts }: Setting, door: 'view' | 'manage', column: Column) =>
  ({ path = {} }: RecordInput, { caller }: Call): readonly Condition[] => {
    const integration = integrationNamed(path['name'] ?? '', integrations)
    integration[door].assert(caller, parts.env.now)
    return [{ op: 'eq', column, value: integration.name }]
  }
