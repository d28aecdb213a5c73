import { collectDefaultMetrics, Registry } from 'prom-client'
import { PREFIX } from './names.ts'

let registry: Registry | undefined

/**
 * Memory, processor, event loop and garbage collection of the process. There is one process, so there is one
 * set of them: its observers cannot be taken back, and hold nothing open.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry, prefix: PREFIX })
  }
  return registry
}
