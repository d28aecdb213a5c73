import type { Logger } from '@svc/kernel'
import type { Description } from '../contract/description.ts'
import type { Part, Placed } from '../contract/part.ts'

type Localize = Parameters<NonNullable<Part['describe']>>[0]
type Locale = Parameters<NonNullable<Part['describe']>>[1]

const logged = new WeakSet<Part>()

/** What a part says of itself; nothing where that throws, which is logged once for each part, with its key. */
export function descriptionOf(
  { key, resource, part }: Placed,
  localize: Localize,
  locale: Locale,
  log: Logger,
): Description | undefined {
  try {
    return part.describe?.(localize, locale)
  } catch (error) {
    if (!logged.has(part)) log.error({ key, resource: resource?.name, err: error }, 'domain.describe_failed')
    logged.add(part)
    return undefined
  }
}
