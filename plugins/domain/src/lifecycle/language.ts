import { type Action, defineAction, Reply } from '@svc/kernel'
import { z } from 'zod'
import { languageSchema, SCHEMA_TYPE } from '../definition/json-schema.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Answers the definition language as a JSON Schema, for editors. */
export function language({ language: { types, extensions } }: Lifecycle): Action {
  let body: string | undefined
  return defineAction<Record<string, never>, never>({
    name: 'svc.domain.language',
    summary: 'Describe the definition language',
    access: ['*'],
    routes: ['GET /api/v1/definition.schema.json'],
    input: z.object({}),
    notes: { direct: true, openapi: { type: SCHEMA_TYPE } },
    handle() {
      // Few ask, and every start would wait for it.
      body ??= JSON.stringify(languageSchema(extensions, types.names))
      return new Reply({ content: { type: SCHEMA_TYPE, body } })
    },
  })
}
