import { capability } from '@svc/kernel'
import type { Aspect } from '../fields/aspect.ts'
import type { FieldType } from '../fields/field-type.ts'
import type { Language } from '../lifecycle/read-model.ts'
import type { Model } from '../model/model.ts'
import type { Answers } from '../runtime.ts'
import type { Speaker } from '../speech/speech.ts'
import type { Block } from './block.ts'
import type { Mentioning } from './mentions.ts'
import type { AddedFunction } from './way.ts'

/** The domains of this server, for other plugins. */
export interface Domains {
  /** The models in force, by name. `actions.onChange` tells when they have changed. */
  list(): readonly Model[]
  model(name: string): Model | undefined
  /** The same models for documents that anybody may read: what variables stand for stays as it is written. */
  described(): readonly Model[]
  /** What one request may bring at most. */
  readonly limits: {
    /** Records, or ids of such. */
    readonly bulk: number
  }
  /** Adds a field type to the definition language; only during set-up. */
  fieldType(type: FieldType): void
  /** Adds an attribute to every field, and what it means for the field's type; only during set-up. */
  aspect(aspect: Aspect): void
  /** Adds a key to the definition language, and what it compiles to; only during set-up. */
  block(block: Block): void
  /** Adds a function to the expressions of every place, by a name that the language has not; only during set-up. */
  expressionFunction(name: string, added: AddedFunction): void
  /** Says where answers are kept for resources that want that; one place, named during set-up. */
  keep(answers: Answers): void
  /** Chooses texts and says messages in the languages of clients; one plugin, during set-up. */
  speak(speaker: Speaker): void
  /** Says where a plugin without a key keeps texts and answers that may speak of records of a domain; during set-up. */
  mentioning(of: (model: Model) => readonly Mentioning[]): void
  /** The definition language with everything that was added to it until now. */
  language(): Language
}

export const DomainsCapability = capability<Domains>('domains')
