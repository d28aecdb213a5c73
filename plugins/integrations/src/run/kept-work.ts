import { keepFacts, openFacts, type Resource } from '@svc/domain/contract'
import type { KeptSecrets } from '@svc/outbound/contract'
import type { Value } from '@svc/store/contract'
import type { Built } from '../wire/message.ts'
import type { Run } from './run.ts'

/** What a run is made of and sends, as it is opened again. */
export interface Work extends Pick<Run, 'facts' | 'built'> {}

const PLACE = 'integrations'

/** Seals a value that may hold anything: what another side answers, what was mapped. */
export const sealJson = (value: unknown, kept: KeptSecrets): string => kept.seal(JSON.stringify(value), PLACE)

/** Opens it; undefined where no key does. */
export function openJson(sealed: unknown, kept: KeptSecrets): Value | undefined {
  const text = typeof sealed === 'string' ? kept.open(sealed, PLACE) : undefined
  return text === undefined ? undefined : (JSON.parse(text) as Value)
}

/** Seals what a run is made of and sends. */
export const sealWork = (
  { operation, facts, built }: Pick<Run, 'operation' | 'facts' | 'built'>,
  kept: KeptSecrets,
): string => sealJson({ facts: keepFacts(facts, operation.expressions), built: built ?? null }, kept)

/** Opens it; undefined where no key does. */
export function openWork(
  sealed: unknown,
  resource: Resource | undefined,
  kept: KeptSecrets,
): Work | undefined {
  const opened = openJson(sealed, kept)
  if (opened === undefined) return undefined
  const { facts, built } = opened as unknown as { readonly facts: unknown; readonly built: Built | null }
  return { facts: openFacts(facts, resource), built: built ?? undefined }
}
