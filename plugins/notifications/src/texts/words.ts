import type { Expression, Path, Site, Speech, Text } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { among, interpolate, placeholdersOf } from '@svc/expression/contract'
import type { Caller } from '@svc/kernel'
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
  /** What a reader is told; `records` are the places of the records of a batch that it hears of, null: of all. */
  fill(context: EvaluationContext, reader: Caller, records?: readonly number[] | null): Said
}

/** Compiles words; what is wrong is reported. */
export function compileWords(
  { subject, body }: WrittenWords,
  { site, path, speech }: { readonly site: Site; readonly path: Path; readonly speech: Speech },
): Words {
  const text = (written: Text, key: string) => {
    const source = typeof written === 'string' ? written : (Object.values(written)[0] ?? '')
    const expressions = placeholdersOf(source).map(
      (one) => [one, site.expression(one, [...path, key], speech)] as const,
    )
    return {
      expressions: expressions.flatMap(([, one]) => one ?? []),
      fill: (context: EvaluationContext) =>
        interpolate(
          source,
          among(Object.fromEntries(expressions.map(([name, one]) => [name, one?.evaluate(context) ?? null]))),
        ),
    }
  }
  const [line, whole] = [subject === null ? undefined : text(subject, 'subject'), text(body, 'body')]
  return {
    written: { subject, body },
    expressions: [...(line?.expressions ?? []), ...whole.expressions],
    fill: (context) => ({
      subject: line === undefined ? null : fitSubject(line.fill(context)),
      body: fitBody(whole.fill(context)),
    }),
  }
}
