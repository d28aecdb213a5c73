import type { Reader, Row, Value } from '@svc/store/contract'
import type { Expression } from '@svc/expression/contract'
import type { CompiledValue, Site, Speech } from '../contract/site.ts'
import type { Path } from '../definition/problem.ts'
import type { Text } from '../definition/schema/text.ts'
import type { Audience } from './audience.ts'
import type { Facts } from './facts.ts'
import { type Showing, showingTo } from './showing.ts'
import type { Locale } from '../speech/speech.ts'

/** Something that is said to people: a text, and values beside it that the text may name. */
export interface Words {
  /** What text and values are worked out from. */
  readonly expressions: readonly Expression[]
  /** What of it a reader may be told. Related records are read by `reader`. */
  tell(facts: Facts, audience: Audience, locale: Locale, reader: Reader): Promise<Told>
}

/** Words as one reader is told them. */
export interface Told {
  readonly text: string
  /** The values that the reader may know; what is worked out from others is absent. */
  readonly values: Row
}

/** Words as they are written; paths lead on from the key of the site. */
export interface WrittenWords {
  readonly text: Text
  readonly textPath: Path
  /** What locale files call the text. */
  readonly textKey?: string
  readonly values: Readonly<Record<string, unknown>>
  readonly valuesPath: Path
}

/** Compiles words; undefined where something about them was reported as wrong. */
export function compileWords(
  { text: written, textPath, textKey, values: writtenValues, valuesPath }: WrittenWords,
  speech: Speech,
  site: Pick<Site, 'text' | 'value'>,
): Words | undefined {
  const names = Object.keys(writtenValues)
  const values = names.map((name) => site.value(writtenValues[name], [...valuesPath, name], speech))
  const own = new Map([...(speech.names ?? []), ...names.map((name) => [name, 'unknown'] as const)])
  const text = site.text(written, textPath, { ...speech, names: own }, textKey)
  const known = values.filter((one) => one !== undefined)
  if (text === undefined || known.length < values.length) return undefined
  const expressions = [...text.expressions, ...known.flatMap((one) => one.expressions)]
  return {
    expressions,
    async tell(facts, audience, locale, reader) {
      const showing = await showingTo(audience, facts, expressions, reader)
      const { context, shows } = showing
      const told = Object.fromEntries(names.flatMap((name, at) => toldAs(name, known[at], showing)))
      const named = { ...context, names: { ...context.names, ...told } }
      return { text: text.fill(named, locale, shows), values: told }
    },
  }
}

/** A value that is worked out from nothing but what the reader may not know is absent. */
function toldAs(
  name: string,
  value: CompiledValue | undefined,
  { context, shows }: Showing,
): readonly (readonly [string, Value])[] {
  if (value === undefined) return []
  const { expressions } = value
  if (expressions.length > 0 && !expressions.some(shows)) return []
  return [[name, value.evaluate(context, shows)]]
}
