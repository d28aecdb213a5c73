export { COMMANDS } from './command-line.ts'
export { ServerSections } from './configuration.ts'
export { builtInLanguage } from './language.ts'
export { BUILT_IN, standardPlugins } from './plugins.ts'
