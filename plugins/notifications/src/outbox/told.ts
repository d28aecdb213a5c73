import type { Site } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Opened } from './entries.ts'
import { openSpeech } from './kept-speech.ts'
import { contextOf } from './raised.ts'
import { compileWords, type Said } from '../texts/words.ts'

/**
 * What readers are told of a notification that was raised: worked out anew for each, by the model in force. Where its
 * texts mean nothing any more, since a resource or a field is gone, it is what anybody may be told.
 */
export function wordsOf(
  { raised, context: kept }: Opened,
  site: Site,
): (reader: Caller, records: readonly number[] | null) => Said {
  const context = kept()
  const speech = openSpeech(raised.written.speech, site.model)
  if (speech === undefined) return () => context.said
  const apart = site.apart()
  const words = compileWords(raised.written.words, { site: apart, path: [], speech })
  if (apart.problems.length > 0) return () => context.said
  return (reader, records) => words.fill(contextOf(context), reader, records)
}
