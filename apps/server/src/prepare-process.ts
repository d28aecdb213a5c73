import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { traceToSources } from './trace-to-sources.ts'

/** Where Node keeps what it compiled: beside the program, where nobody else can put anything. */
const COMPILED = new URL('compiled', import.meta.url)

/** What the process of the bundled program does before anything else is loaded. */
export function prepareProcess(): void {
  traceToSources()
  // Node 22.8 and later.
  if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
    module.enableCompileCache(fileURLToPath(COMPILED))
}
