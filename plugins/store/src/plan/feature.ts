/**
 * What not every store can do:
 * - `skipLocked`: transactions run side by side, and one passes over rows that another holds; where they take turns
 *   instead, there is nothing to pass over;
 * - `ordered`: transactions that write take turns, so that rows are committed in the order of their numbers (`Column.numbered`);
 * - `gist`: points and boxes are values of SQL, and indexes of the method `gist` cover them;
 * - `scrub`: its files are rewritten while it works, and reads go on meanwhile; elsewhere a table is out of reach until it is rewritten;
 * - `oneDatabase`: the tables of its journal are in the same database, and its transactions reach them;
 * - `spatial`: geometries are compared, and found by an index.
 */
export type StoreFeature = 'skipLocked' | 'ordered' | 'gist' | 'scrub' | 'oneDatabase' | 'spatial'
