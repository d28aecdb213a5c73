import { checkJson } from './check/json.ts'
import { jsonType } from './json-type.ts'

/** Any JSON value, kept as it is. */
export const json = jsonType({
  name: 'json',
  compile: () => ({ check: checkJson, openapi: { type: 'object' } }),
})
