import { type Audience, type Facts, type Showing, showingTo, type Site } from '@svc/domain/contract'
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
 * Compiles what was raised by the model in force; undefined where its texts mean nothing any more, since a resource, a
 * field or what opens its facts is gone.
 */
export function openTold({ name, written, facts: kept }: Kept, site: Site, reader: Reader): Told | undefined {
  const speech = openSpeech(written.speech, site.model)
  if (speech === undefined || kept === null) return undefined
  const words = compileWords(written.words, { site: site.apart(), path: [], speech, name })
  if (words === undefined) return undefined
  const facts = openFacts(kept, speech)
  return {
    words,
    facts,
    showingTo: (audience, of = facts) => showingTo(audience, of, words.expressions, reader),
  }
}
