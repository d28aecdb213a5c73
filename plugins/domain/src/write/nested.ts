import { errors, type Caller } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { RecordWrite } from '../contract/writes.ts'
import { keyOf } from '../query/key.ts'
import type { Resource } from '../model/resource.ts'
import { type Change, type ChangeStart, createChange } from './change.ts'

/** How deep a write may bring about another one. */
const MAX_DEPTH = 16

/** What a write inside a transaction takes over from whoever began that. */
export type Origin = Pick<ChangeStart, 'domain' | 'runtime' | 'requestId' | 'at' | 'tell' | 'signal'> & {
  readonly caller: Caller
  readonly depth: number
  /** What has set it off outside of the transaction. */
  readonly setOffBy: string | undefined
  /** Undefined where no change of the transaction has brought the write about. */
  readonly cause?: Change
}

/** Starts the change of a record that a block writes inside a transaction. Throws CONFLICT where it is too deep. */
export function nestedChange(write: RecordWrite, origin: Origin, transaction: Transaction): Change {
  const { cause, tell, domain, runtime, requestId, at, signal, depth, setOffBy } = origin
  const { kind, resource, as: caller = origin.caller } = write
  assertDepth(depth, resource, cause)
  const { operation, wanted } = namedBy(write)
  return createChange({
    domain,
    runtime,
    requestId,
    at,
    tell,
    asker: cause?.asker ?? origin.caller,
    cause,
    acceptLanguage: cause?.acceptLanguage,
    ...(signal && { signal }),
    kind,
    caller,
    access: Access.of(resource, caller, runtime.env.now),
    resource,
    reader: transaction,
    depth,
    origin: setOffBy,
    key: write.key === undefined ? undefined : keyOf(resource, write.key),
    body: write.values ?? {},
    ...(operation && { operation }),
    ...(wanted !== undefined && { wanted }),
    ...('corrects' in write && { corrects: true }),
  })
}

function namedBy(write: RecordWrite): Partial<Pick<Change, 'operation' | 'wanted'>> {
  if (write.kind === 'transition') return { wanted: write.name }
  if (write.kind !== 'custom') return {}
  const { resource, name } = write
  const operation = resource.api.customOperations.find((one) => one.name === name)
  if (operation === undefined) throw new Error(`'${resource.name}' has no operation '${name}'`)
  return { operation }
}

/** Throws CONFLICT for a write that is too deep; the resources on the way say who brings about whom. */
export function assertDepth(depth: number, { name }: Resource, cause?: Change): void {
  if (depth <= MAX_DEPTH) return
  const way: string[] = [name]
  for (let one = cause; one !== undefined && way.length < 5; one = one.cause) way.push(one.resource.name)
  throw errors.CONFLICT({
    message: `A write has brought about others, ${MAX_DEPTH} deep: ${way.toReversed().join(' > ')}`,
  })
}
