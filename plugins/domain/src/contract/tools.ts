/** What reads definitions outside a server, such as a command line, needs of the engine. */
export { languageSchema } from '../definition/json-schema.ts'
export { isReservedDomain } from '../definition/names.ts'
export { readMap, type ReadMap } from '../definition/read-map.ts'
export { DefinitionError, type Problem } from '../definition/problem.ts'
export { compareWithStore, type Comparison } from '../lifecycle/compare.ts'
export { createLanguage, type Language, type ReadModel, readModel } from '../lifecycle/read-model.ts'
