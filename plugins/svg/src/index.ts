import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { svgType } from './field-type.ts'

/** Adds the field type `svg` to the definition language. */
export const svg = definePlugin({
  name: 'svg',
  phase: 'domain',
  requires: { domains: DomainsCapability },
  setup: ({ domains }) => domains.fieldType(svgType),
})
