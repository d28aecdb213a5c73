import { mappingFault } from '../wire/fault.ts'
import { isMap } from '../wire/maps.ts'

/** Throws where a path that has to be there leads to nothing. */
export function checkRequired(required: readonly string[], mapped: unknown): void {
  for (const path of required) {
    let found = mapped
    for (const step of path.split('.'))
      found = isMap(found) && Object.hasOwn(found, step) ? found[step] : null
    if (found === null || found === undefined) throw mappingFault(path, `'${path}' is required, and is empty`)
  }
}
