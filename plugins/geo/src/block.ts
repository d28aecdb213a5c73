import type { DomainBlock } from '@svc/domain/contract'
import type { Store } from '@svc/store/contract'
import { type Indexes, wantedOf } from './filters/indexes.ts'

/** Stands in every domain that has geometries: it learns of their indexes, and says what the database is wanting. */
export const spatialBlock = (store: Store, indexes: Indexes): DomainBlock => ({
  on: 'domain',
  key: 'geo',
  compile(_, site) {
    if (wantedOf(site.model).length === 0) return undefined
    const statement = store.wanting.get('spatial')
    if (statement !== undefined)
      site.warning([], SAYS_LITTLE, `Run '${statement}' in the database, and restart`)
    return {
      async open({ model }) {
        if (store.features.has('spatial')) await indexes.look(model, store)
      },
    }
  },
})

const SAYS_LITTLE =
  'the database has no PostGIS: geometries are stored, and neither filtered by where they are nor simplified'
