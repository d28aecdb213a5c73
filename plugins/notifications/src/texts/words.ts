import type { Expression, Path, Showing, Site, Speech, Text } from '@svc/domain/contract'
import { fitBody, fitSubject } from './fit.ts'

/** The words of a notification as they are written. */
export interface WrittenWords {
  readonly subject: Text | null
  readonly body: Text
}

/** What a message says. */
export interface Said {
  readonly subject: string | null
  readonly body: string
}

/** The words of a notification, compiled. */
export interface Words {
  readonly written: WrittenWords
  readonly expressions: readonly Expression[]
  /** What a reader is told, in the domain's default language. */
  fill(showing: Showing): Said
}

/** Where words are written. */
export interface WordsPlace {
  readonly site: Site
  readonly path: Path
  readonly speech: Speech
  /** What locale files call them. */
  readonly name: string
  /** Whether no locale file knows them. */
  readonly isOwn?: true
}

/** Compiles words; what is wrong is reported, and undefined answered. */
export function compileWords(
  { subject, body }: WrittenWords,
  { site, path, speech, name, isOwn }: WordsPlace,
): Words | undefined {
  const text = (written: Text, part: 'subject' | 'body') =>
    isOwn
      ? site.text(written, [...path, part], speech)
      : site.text(written, [...path, part], speech, `notifications.templates.${name}.${part}`)
  const line = subject === null ? null : text(subject, 'subject')
  const whole = text(body, 'body')
  if (line === undefined || whole === undefined) return undefined
  return {
    written: { subject, body },
    expressions: [...(line?.expressions ?? []), ...whole.expressions],
    fill: ({ context, shows }) => ({
      subject: line && fitSubject(line.fill(context, undefined, shows)),
      body: fitBody(whole.fill(context, undefined, shows)),
    }),
  }
}
