import type { Row } from '@svc/store/contract'
import type { Change } from './change.ts'

/** Takes values as they are stored, whatever the field says of who may write it and when. */
export function takeRaw({ body, resource, values }: Change): void {
  for (const [name, value] of Object.entries(body as Row)) {
    const field = resource.fields.get(name)
    if (field?.column === undefined || field.primaryKey)
      throw new Error(`'${resource.name}' has no stored field '${name}' to overwrite`)
    values[name] = value
  }
}
