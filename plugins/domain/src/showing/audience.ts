import { ANONYMOUS, type Caller } from '@svc/kernel'
import { Access } from '../access/access.ts'
import type { Resource } from '../model/resource.ts'
import type { Rights } from '../reach/neighbours.ts'

/** A reader of whom nothing is known: a bare address, a log, whoever listens to a webhook. */
export const ANYBODY = Symbol.for('svc.anybody')

/**
 * Who reads a text or a ledger. A caller is shown what answers show it; anybody the fields that have no read rule, of
 * whatever record.
 */
export type Audience = Caller | typeof ANYBODY

/** What an audience may read of a resource. */
export const accessOf = (audience: Audience, resource: Resource, now: () => number): Access =>
  Access.of(resource, audience === ANYBODY ? ANONYMOUS : audience, now)

/** Which related records an audience may read. */
export const rightsOf = (audience: Audience): Rights => (audience === ANYBODY ? 'anybody' : 'caller')
