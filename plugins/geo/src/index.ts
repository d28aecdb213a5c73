import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { z } from 'zod'
import { spatialBlock } from './block.ts'
import { geometryType } from './field-type.ts'
import { Indexes } from './filters/indexes.ts'

/** Adds the field type `geometry` to the definition language. */
export const geo = definePlugin({
  name: 'geo',
  phase: 'domain',
  config: z.strictObject({
    embedded: z
      .boolean()
      .default(false)
      .describe(
        'Whether the embedded store filters geometries too, by an index of its own and by comparing them in this process; PostgreSQL does so with PostGIS, whatever stands here',
      ),
  }),
  requires: { domains: DomainsCapability, store: StoreCapability },
  async setup({ config, domains, store }) {
    if (config.embedded) store.compareGeometries((await import('./relate/relate.ts')).relates)
    const indexes = new Indexes()
    domains.fieldType(geometryType(store.features, indexes))
    domains.block(spatialBlock(store, indexes))
  },
})
