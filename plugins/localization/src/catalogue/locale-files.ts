import type { LocaleFile } from '../definition.ts'
import { type ByTag, type Layer, NONE } from './layers.ts'

/** A text of a locale file, and the way to it from the top of the file. */
export interface FileText {
  readonly locale: string
  /** The way's steps with points between; of bare text in place of a map, without `label`. */
  readonly key: string
  readonly path: readonly string[]
  readonly text: string
}

/** Every text that locale files have. */
export function textsIn(files: Readonly<Record<string, LocaleFile>>): readonly FileText[] {
  const found: FileText[] = []
  for (const [locale, { locale: _, ...roots }] of Object.entries(files)) gather(roots, [], locale, found)
  return found
}

function gather(node: unknown, path: readonly string[], locale: string, found: FileText[]): void {
  if (typeof node === 'string') found.push({ locale, key: path.join('.'), path, text: node })
  if (typeof node !== 'object' || node === null) return
  for (const [step, inner] of Object.entries(node)) gather(inner, [...path, step], locale, found)
}

const LABEL = '.label'

/** The key that a text of a locale file says: bare text in place of a map is its `label`. */
export const keyOf = ({ key }: Pick<FileText, 'key'>, isKnown: (key: string) => boolean): string =>
  !isKnown(key) && isKnown(key + LABEL) ? key + LABEL : key

/** What locale files say, by key. */
export function localeFiles(files: Readonly<Record<string, LocaleFile>>): Layer {
  const byKey = new Map<string, Map<string, string>>()
  for (const { locale, key, text } of textsIn(files)) {
    const known = byKey.get(key) ?? new Map<string, string>()
    byKey.set(key, known.set(locale.toLowerCase(), text))
  }
  const bare = (key: string): ByTag | undefined =>
    key.endsWith(LABEL) ? byKey.get(key.slice(0, -LABEL.length)) : undefined
  return {
    of(key) {
      const [whole, short] = [byKey.get(key), bare(key)]
      if (whole === undefined || short === undefined) return whole ?? short ?? NONE
      return new Map([...short, ...whole])
    },
    keys: () => byKey.keys(),
  }
}
