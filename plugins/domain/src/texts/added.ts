import { ExpressionError, type Template } from '@svc/expression/contract'
import type { Text } from '../definition/schema/text.ts'
import type { Localizer } from '../speech/speech.ts'

/** A text in its locales, with what each of its sources compiled to. */
export interface Compiled {
  readonly text: Text
  readonly templates: ReadonlyMap<string, Template>
}

interface Adding {
  readonly localizer: Localizer
  /** Throws an ExpressionError. */
  readonly compile: (source: string) => Template
  /** Told of a text that means nothing in this place. */
  readonly refused: (locale: string, error: ExpressionError) => void
}

/** A text of the definition with what stands beside it under `key` by now; what means nothing there is passed over. */
export function withAdded(own: Compiled, key: string | undefined, adding: Adding): () => Compiled {
  const { localizer } = adding
  if (key === undefined || localizer.added === undefined) return () => own
  let seen: Readonly<Record<string, string>> | undefined
  let current = own
  const renew = () => {
    const added = localizer.added?.(key)
    if (added !== seen) current = added === undefined ? own : merged(own, added, adding)
    seen = added
    return current
  }
  renew()
  return renew
}

function merged(
  { text, templates }: Compiled,
  added: Readonly<Record<string, string>>,
  { localizer, compile, refused }: Adding,
): Compiled {
  const texts = { ...(typeof text === 'string' ? { [localizer.locale().localeResolved]: text } : text) }
  const known = new Map(templates)
  for (const [locale, source] of Object.entries(added))
    try {
      known.set(source, known.get(source) ?? compile(source))
      texts[locale] = source
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      refused(locale, error)
    }
  return { text: texts, templates: known }
}
