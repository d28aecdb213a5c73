export * from './contract/authors.ts'
export * from './contract/documents.ts'
export * from './contract/tools.ts'
