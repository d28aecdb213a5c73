import type { ProbeResult } from '@svc/kernel'
import type { System } from './system.ts'

/** One outside thing that the server needs; why it is out of reach is for the log alone. */
export interface Dependency {
  readonly name: string
  readonly ok: boolean
}

/**
 * Answers a function that asks every probe. Callers at one time share one round, so that strangers who ask
 * often do not make the server ask often; the log hears of a dependency when its state changes.
 */
export function watchDependencies({
  host,
  log,
}: Pick<System, 'host' | 'log'>): () => Promise<readonly Dependency[]> {
  const failing = new Set<string>()
  let round: Promise<readonly Dependency[]> | undefined

  const note = ({ name, ok, error }: ProbeResult) => {
    if (ok && failing.delete(name)) log.info({ dependency: name }, 'system.dependency_back')
    if (ok || failing.has(name)) return
    failing.add(name)
    log.warn({ dependency: name, reason: error }, 'system.dependency_away')
  }

  const ask = async () => {
    const results = await host.probe()
    results.forEach(note)
    return results.map(({ name, ok }) => ({ name, ok }))
  }

  return () =>
    (round ??= ask().finally(() => {
      round = undefined
    }))
}
