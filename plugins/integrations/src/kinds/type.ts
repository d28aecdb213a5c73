import type { Site } from '@svc/domain/contract'
import type { z } from 'zod'
import type { Integration } from '../integration.ts'
import type { Parts } from '../parts.ts'

/** A kind of integration: what is written of it, and what it does. */
export interface IntegrationType<T extends z.ZodObject> {
  /** Its key `type` names it, as one or several words. */
  readonly definition: T
  /** Undefined where something is wrong, which is reported. */
  compile(name: string, written: z.output<T>, site: Site, parts: Parts): Integration | undefined
}

/** Gives a kind of integration the types of its schema. */
export const integrationType = <T extends z.ZodObject>(type: IntegrationType<T>): IntegrationType<T> => type
