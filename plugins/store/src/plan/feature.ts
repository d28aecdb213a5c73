/**
 * What not every store can do:
 * - `skipLocked`: transactions run side by side, and one passes over rows that another holds; where they take turns
 *   instead, there is nothing to pass over;
 * - `rtree`: statements may read virtual tables of the module `rtree`.
 */
export type StoreFeature = 'skipLocked' | 'rtree'
