/** What writers of documents need of a model, besides what authors of plugins have. */
export { isRequiredOnCreate, isSetByService, mustHold } from '../model/writing.ts'
export type { RecordNotes } from '../operations/operation.ts'
export { PERMISSIONS } from '../query/include.ts'
