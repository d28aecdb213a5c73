import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { geometryType } from './field-type.ts'

/** Adds the field type `geometry` to the definition language. */
export const geo = definePlugin({
  name: 'geo',
  phase: 'domain',
  requires: { domains: DomainsCapability },
  setup: ({ domains }) => domains.fieldType(geometryType),
})
