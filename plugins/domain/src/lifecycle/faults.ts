import type { Logger } from '@svc/kernel'
import { pathText, type Problem } from '../definition/problem.ts'

/** Tells whether a fault is one of some: wherever it stands in a text, it says the same of the same place. */
export function amongFaults(faults: readonly Problem[]): (fault: Problem) => boolean {
  const known = new Set(faults.map(keyOf))
  return (fault) => known.has(keyOf(fault))
}

const keyOf = ({ path, message }: Problem): string => JSON.stringify([path, message])

/** Logs what a domain is in force with, and would not be put in force with any more. */
export function tellFaults(domain: string, faults: readonly Problem[], log: Logger): void {
  for (const { path, message, hint } of faults)
    log.warn({ domain, path: pathText(path), message, hint }, 'domain.restored_with_faults')
}
