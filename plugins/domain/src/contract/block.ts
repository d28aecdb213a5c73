import type { z } from 'zod'
import type { DomainPart, ResourcePart } from './part.ts'
import type { ResourceSite, Site } from './site.ts'

/** A key of the definition language that a plugin owns, and what the engine does for it. */
export type Block<T = unknown, M = unknown> = DomainBlock<T, M> | ResourceBlock<T, M>

/** A key below `domain`; `M` is what it makes for blocks of later keys. */
export interface DomainBlock<T = unknown, M = unknown> extends Keyed {
  readonly on: 'domain'
  /**
   * Judges what is written under the key, as that of a resource's block does. Without it nothing is written: the block
   * is a part of every domain, whose tables, steps and actions bear its key, and the language does not know that. It is
   * compiled after every block that has a schema, so that it knows what these have found in the definition.
   */
  readonly schema?: z.ZodType<T>
  /**
   * Makes of what is written under the key what it does. It is asked about every domain: `written` is undefined where
   * the key is absent. It is pure: it reports what is wrong to the site, starts nothing, keeps nothing, does not wait,
   * and does not throw. It runs each time a definition is read (submit, preview, validate, start, and on every server
   * that takes a change over), once more where the definition reads variables, for the documents that anybody may
   * read, and on the former definitions that a rollback passes through. Most of these models never live: what has to
   * live belongs into `open` of the part.
   */
  compile(written: T | undefined, site: Site): DomainPart<M> | undefined
}

/** A key below every resource; `M` is what it makes for blocks of later keys. */
export interface ResourceBlock<T = unknown, M = unknown> extends Keyed {
  readonly on: 'resource'
  /**
   * Judges what is written under the key, when a definition is read and before anything is compiled; keys that it does
   * not list come back as warnings. Its descriptions are those of `svc schema` and of editors.
   */
  readonly schema: z.ZodType<T>
  /**
   * Feature names that it owns under `features` of resources, each a switch that is off unless said, with what
   * documents say of it. `site.feature(name)` tells whether one is on.
   */
  readonly features?: Readonly<Record<string, string>>
  /**
   * Kinds of change that its operations bring about, besides those of the engine: `records.reinstate` takes one, and
   * the steps of every block meet it as `change.kind`.
   */
  readonly changes?: readonly string[]
  /** The same as that of a domain's block, asked about every resource: a feature may call for the block too. */
  compile(written: T | undefined, site: ResourceSite): ResourcePart<M> | undefined
}

interface Keyed {
  readonly key: string
  /**
   * Keys whose blocks are compiled, run their steps, and open, before this one. One that no plugin owns, and a circle,
   * end the start.
   */
  readonly after?: readonly string[]
  /** The same for keys that may be missing, since the plugin that owns them need not be loaded. */
  readonly afterIfLoaded?: readonly string[]
  /** Compiled after the blocks of all other keys: it speaks of what these have found. */
  readonly isLast?: true
}
