import type { Localizer, Text } from '@svc/domain/contract'

/** The text that a document shows: that of the domain's default locale where there is a choice. */
export const shownText = (
  text: Text | undefined,
  { localizer }: { readonly localizer: Localizer },
): string | undefined => localizer.text(text, localizer.locale())

/** Sentences of Markdown, one paragraph each; undefined where there is none. */
export function paragraphs(...parts: readonly (string | undefined | false)[]): string | undefined {
  const said = parts.filter((part) => typeof part === 'string' && part !== '')
  return said.length === 0 ? undefined : said.join('\n\n')
}

/** Names as Markdown code: `a`, `b`. */
export const codes = (names: Iterable<string>): string => [...names].map((name) => `\`${name}\``).join(', ')
