import {
  type Audience,
  type Facts,
  type Model,
  type Showing,
  showingTo,
  type Site,
  type Speech,
} from '@svc/domain/contract'
import type { Reader } from '@svc/store/contract'
import { compileWords, type Words } from '../texts/words.ts'
import type { Kept } from './entries.ts'
import { openFacts } from './kept-facts.ts'
import { openSpeech } from './kept-speech.ts'

/** The words of a notification that was raised, by the model in force, and what they are worked out with. */
export interface Told {
  readonly words: Words
  readonly facts: Facts
  /** What a reader may be told of it. */
  showingTo(audience: Audience, facts?: Facts): Promise<Showing>
}

/**
 * What was raised, by the model in force; undefined where its texts mean nothing any more, since a resource, a field or what
 * opens its facts is gone.
 */
export function openTold(raised: Kept, site: Site, reader: Reader): Told | undefined {
  if (raised.facts === null) return undefined
  const spoken = spokenOf(raised, site)
  if (spoken === undefined) return undefined
  const { words, speech } = spoken
  const facts = openFacts(raised.facts, speech)
  return {
    words,
    facts,
    showingTo: (audience, of = facts) =>
      showingTo(audience, of, words.expressions, reader, { done: ['automate'] }),
  }
}

/** Compiled words, and what they may name. */
interface Spoken {
  readonly words: Words
  readonly speech: Speech
}

/** A ledger holds the same words many times over, in as many versions as there were of the definition. */
const MOST_SPOKEN = 200
const spoken = new WeakMap<Model, Map<string, Spoken | undefined>>()

/** The words of what was raised, compiled once for each model. */
function spokenOf({ name, written }: Kept, site: Site): Spoken | undefined {
  const known = spoken.get(site.model) ?? new Map<string, Spoken | undefined>()
  spoken.set(site.model, known)
  const key = JSON.stringify([name, written.words, written.speech])
  if (known.has(key)) return known.get(key)
  if (known.size === MOST_SPOKEN) known.clear()
  const compiled = compile({ name, written }, site)
  known.set(key, compiled)
  return compiled
}

function compile({ name, written }: Pick<Kept, 'name' | 'written'>, site: Site): Spoken | undefined {
  const speech = openSpeech(written.speech, site.model)
  if (speech === undefined) return undefined
  const words = compileWords(written.words, { site: site.apart(), path: [], speech, name })
  return words && { words, speech }
}
