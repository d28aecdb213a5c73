import type { Documentation, DomainAction, Model, OperationDescription } from '@svc/domain/contract'
import { z } from 'zod'
import { comment } from './comment.ts'
import { type Schema, typeOfSchema, type Writing } from './type-of-schema.ts'

/**
 * What the endpoints of a domain take and answer that are none of its resources: an input and an answer for each action of
 * its keys, such as `WorkflowsStartInput` and `WorkflowsStartAnswer`, and the schemas that documents name.
 */
export function endpointTypes(
  { parts, localizer }: Model,
  name: (wanted: string) => string,
): readonly string[] {
  const written: string[] = []
  for (const { key, resource, part } of parts) {
    if (resource !== undefined || part.actions === undefined || part.actions.length === 0) continue
    const said: Documentation | undefined = part.describe?.(() => undefined, localizer.locale()).openapi
    const { schemas = {}, operations = {} } = said ?? {}
    const names = new Map(Object.keys(schemas).map((schema) => [schema, name(schema)]))
    const writing: Writing = { nullsOptional: false, named: (schema) => names.get(schema) }
    for (const [schema, type] of names)
      written.push(`export type ${type} = ${typeOfSchema(schemas[schema]!, writing)}`)
    for (const action of part.actions) {
      const about = operations[action.name]
      const summary = `${action.summary}: ${(action.routes ?? []).map((route) => `\`${route}\``).join(', ')}`
      const own = pascal(key) + pascal(action.name)
      written.push(
        `${comment(summary, '')}export type ${name(`${own}Input`)} = ${typeOfSchema(inputOf(action, about), writing)}`,
        `export type ${name(`${own}Answer`)} = ${answerOf(action, about, writing)}`,
      )
    }
  }
  return written.length === 0 ? [] : [LIST_TYPE, ...written]
}

const LIST_TYPE = `/** One part of many. */
export interface List<T> {
  readonly items: readonly T[]
  readonly count: number
  readonly totalCount?: number
  readonly meta?: { readonly total: number; readonly page: number; readonly per_page: number }
}`

/** What an endpoint takes by its path, its query and its body, in one. */
function inputOf({ input, routes = [] }: DomainAction, about: OperationDescription | undefined): Schema {
  if (input !== undefined) return z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  const required = [
    ...new Set(routes.flatMap((route) => [...route.matchAll(/:(\w+)/g)].map(([, one]) => one!))),
  ]
  const paging = about?.answers && 'items' in about.answers ? PAGING : {}
  const body = Object(about?.body?.schema['properties'] ?? {}) as Schema
  const path = Object.fromEntries(required.map((one) => [one, { type: 'string' }]))
  return { type: 'object', properties: { ...path, ...about?.query, ...paging, ...body }, required }
}

const PAGING = { limit: { type: 'integer' }, offset: { type: 'integer' }, page: { type: 'integer' } }

/** What an endpoint answers as `data`. */
function answerOf(
  { output }: DomainAction,
  about: OperationDescription | undefined,
  writing: Writing,
): string {
  const answers = about?.answers
  if (answers !== undefined && 'items' in answers) return `List<${typeOfSchema(answers.items, writing)}>`
  if (answers !== undefined && 'data' in answers) return typeOfSchema(answers.data, writing)
  if (answers !== undefined && 'media' in answers) return 'string'
  return output === undefined
    ? 'Json'
    : typeOfSchema(z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }), writing)
}

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
