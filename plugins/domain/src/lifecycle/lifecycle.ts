import type { Accounts } from '@svc/auth/contract'
import { errors } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { z } from 'zod'
import { DefinitionError } from '../definition/problem.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mounted } from '../engine/in-force.ts'
import { parseError } from './parse-error.ts'
import type { Language } from './read-model.ts'

/** What the actions on domains work with. */
export interface Lifecycle {
  readonly engine: Engine
  readonly store: Store
  readonly accounts: Accounts | undefined
  readonly language: Language
}

/** The input of actions on one domain. */
export const Named = z.object({ name: z.string() })

/** The body of a submit and of a preview. */
export const Submission = z.strictObject({
  content: z.string(),
  format: z.enum(['yaml', 'json']).optional(),
  allow_destructive: z.boolean().default(false),
})

/** Runs what reads a definition; what is wrong with that is told as PARSE_ERROR. */
export async function orParseError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof DefinitionError ? parseError(error) : error
  }
}

/** A domain as every list shows it. */
export const summaryOf = ({ model, stored }: Mounted) => ({
  name: model.name,
  version: model.version,
  status: 'active' as const,
  resources: [...model.resources.keys()],
  createdAt: stored.createdAt,
  updatedAt: stored.updatedAt,
})

/** Refuses a value of a query parameter. */
export const invalidQuery = (name: string, allowed: readonly string[]) =>
  errors.INVALID_QUERY({ message: `'${name}' takes ${allowed.map((one) => `'${one}'`).join(' or ')}` })
