import { compileDoor, type Speech } from '@svc/domain/contract'
import type { Known } from '@svc/expression/contract'
import { checkName } from '../../compile/names.ts'
import type { OperationPlace } from '../../compile/operation.ts'
import { compileRetry } from '../../compile/resilience.ts'
import type { Consumer } from '../../inbound/consumer.ts'
import { inboundOperation } from '../../inbound/operation.ts'
import type { Operation } from '../../operation.ts'
import { foundBy } from '../../mapping/found.ts'
import { mappingFunctions } from '../../mapping/functions.ts'
import { compileWrites } from '../../write/compile.ts'
import { allOf } from '../../write/deeds.ts'
import type { BrokerOperation } from './definition.ts'

/** What means something of what is published alone. */
const OF_PUBLISHING = ['body', 'trigger', 'input', 'required', 'resource', 'include', 'timeout'] as const

/** Compiles an operation that consumes; undefined where something is wrong, which is reported. */
export function compileConsuming(
  name: string,
  written: BrokerOperation,
  names: readonly string[],
  { site, integration, execute, retry: usual }: OperationPlace,
  consume: Pick<Consumer, 'text' | 'count' | 'consume'> | undefined,
): Operation | undefined {
  const path = [integration, 'operations', name]
  checkName(name, path, site, 'an operation')
  for (const key of OF_PUBLISHING)
    if (written[key] !== undefined)
      site.problem([...path, key], "means nothing with 'direction: consume'", 'Take it away')
  if (written.write === undefined)
    site.problem([...path, 'write'], 'is missing', 'Say what is written of a message')
  const speech: Speech = {
    moment: 'read',
    functions: mappingFunctions(site.model),
    variables: new Map<string, Known>(
      ['message', 'headers', 'mapped', ...names].map((one) => [one, 'unknown'] as const),
    ),
  }
  const writing = compileWrites(written.write, { site, path: [...path, 'write'], speech })
  const when =
    written.when === undefined
      ? undefined
      : site.expression(written.when, [...path, 'when'], { ...speech, kind: 'boolean' })
  const dedupe =
    written.dedupe === undefined ? undefined : site.expression(written.dedupe, [...path, 'dedupe'], speech)
  const retry = written.retry === undefined ? usual : compileRetry(written.retry, [...path, 'retry'], site)
  const may =
    written.permissions === undefined
      ? execute
      : compileDoor(written.permissions, [...path, 'permissions'], site, `operation '${name}'`)
  const isMissing =
    (written.when !== undefined && when === undefined) ||
    (written.dedupe !== undefined && dedupe === undefined)
  if (writing === undefined || isMissing || consume === undefined) return undefined
  const all = allOf([{ when, writing }])
  const asked = [when, dedupe].filter((one) => one !== undefined)
  const isFinding = all.isFinding || asked.some((one) => foundBy(one, site.model).size > 0)
  // Several at once would wait for each other's records, in whatever order these come.
  const isGathered = consume.count === 1 && !isFinding
  return {
    ...inboundOperation(name, all, retry, may, site.model),
    description: written.description,
    manual: written.manual ?? true,
    consumer: { ...consume, dedupe, format: written.format ?? 'json', isGathered },
  }
}
