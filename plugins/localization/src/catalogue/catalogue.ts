import { type Locale, type Localizer, type Text, textIn } from '@svc/domain/contract'
import type { Languages } from '../languages/languages.ts'
import { BUILT_IN } from './built-in.ts'
import { type ByTag, type Layer, NONE } from './layers.ts'

type Reads = Parameters<NonNullable<Localizer['name']>>[2]

/** A place of the definition that has a key, with what the definition itself says there. */
export interface Place {
  readonly texts: ByTag
  /** The names that a text in its place reads; absent where these are its placeholders. */
  readonly reads: Reads
}

/** A text, and whether nobody but the service itself says it. */
export interface Found {
  readonly text: string
  readonly isBuiltIn: boolean
}

/** All texts of a domain that have keys. */
export interface Catalogue {
  readonly languages: Languages
  /** The places of the definition, by key. */
  readonly places: ReadonlyMap<string, Place>
  /** Makes a place known; what is answered is found by its identity afterwards. */
  name(key: string, text: Text | undefined, reads?: Reads): Text
  text(text: Text | undefined, locale: Locale): string | undefined
  /** The text that a key has in one locale of its own. */
  own(key: string, locale: string): Found | undefined
  /** The text for readers of a locale: in what of its chain there is one first, else the first there is. */
  find(key: string, chain: readonly string[]): Found | undefined
  /** What keys say in one locale without what was imported. */
  beneath(locale: string): (key: string) => string | undefined
  /** What stands beside the definition under a key; the same object until that changes. */
  added(key: string): Readonly<Record<string, string>> | undefined
  /** What a text is by now in each locale that has one of its own. */
  wordings(text: Text): Readonly<Record<string, string>>
  /** Every key that somebody has a text for, known or not. */
  keys(): ReadonlySet<string>
}

/** A text of the definition, by whose identity its key is found. */
interface Named {
  readonly key: string
  readonly texts: ByTag
}

/** What is worked out of the texts, until others are imported. */
interface Remembered {
  readonly imported: Layer
  readonly fitting: Map<string, ByTag>
  readonly flat: Map<string, WeakMap<object, string | undefined>>
  readonly added: Map<string, Readonly<Record<string, string>> | undefined>
  readonly wordings: WeakMap<object, Readonly<Record<string, string>>>
}

/**
 * `files` are locale files, and `imported` what was imported by now: of one locale this wins over those, and both over the definition.
 * What `judge` refuses of that, since the definition says something else by now, counts as not there.
 */
export function createCatalogue(
  languages: Languages,
  files: Layer,
  imported: () => Layer,
  judge: (key: string, text: string, catalogue: Catalogue) => string | undefined,
): Catalogue {
  const places = new Map<string, Place>()
  const named = new WeakMap<object, Named>()
  let memory: Remembered | undefined
  const remembered = (): Remembered => {
    const now = imported()
    if (memory?.imported !== now)
      memory = {
        imported: now,
        fitting: new Map(),
        flat: new Map(),
        added: new Map(),
        wordings: new WeakMap(),
      }
    return memory
  }
  const fitting = (key: string): ByTag => {
    const texts = imported().of(key)
    const isJudged = texts.size > 0 && [...(places.get(key)?.texts.values() ?? [])].some(Boolean)
    if (!isJudged) return texts
    const known = remembered().fitting.get(key)
    if (known) return known
    const made = new Map([...texts].filter(([, text]) => judge(key, text, catalogue) === undefined))
    remembered().fitting.set(key, made)
    return made
  }
  const layersOf = (key: string, own = places.get(key)?.texts ?? NONE): readonly ByTag[] => [
    fitting(key),
    files.of(key),
    own,
    BUILT_IN.of(key),
  ]
  const inOne = (layers: readonly ByTag[], tag: string): Found | undefined => {
    for (const [at, layer] of layers.entries()) {
      const text = layer.get(tag)
      if (text) return { text, isBuiltIn: at === layers.length - 1 }
    }
    return undefined
  }
  const findIn = (layers: readonly ByTag[], chain: readonly string[]): Found | undefined => {
    for (const tag of chain) {
      const found = inOne(layers, tag)
      if (found) return found
    }
    const [own = NONE, ...others] = layers.slice(0, -1).toReversed()
    for (const layer of [own, ...others])
      for (const text of layer.values()) if (text) return { text, isBuiltIn: false }
    const [text] = layers.at(-1)!.values()
    return text === undefined ? undefined : { text, isBuiltIn: true }
  }
  const shown = (tag: string): string => languages.find(tag) ?? tag
  const joined = (layers: readonly ByTag[]): Readonly<Record<string, string>> =>
    Object.freeze(
      Object.fromEntries(
        layers.flatMap((layer) =>
          [...layer].filter(([, text]) => text).map(([tag, text]) => [shown(tag), text]),
        ),
      ),
    )

  const catalogue: Catalogue = {
    languages,
    places,
    name(key, text = {}, reads) {
      const one: Text = typeof text === 'string' ? { [languages.defaultLocale]: text } : { ...text }
      const texts = new Map(Object.entries(one).map(([tag, said]) => [tag.toLowerCase(), said]))
      named.set(one, { key, texts })
      // Of several places of one key, and of a text that is compiled again later, the first is the source.
      if (!places.get(key)?.texts.size) places.set(key, { texts, reads })
      return one
    },
    text(text, locale) {
      if (typeof text !== 'object') return text
      const place = named.get(text)
      if (place === undefined) return textIn(text, locale)
      const { flat } = remembered()
      let known = flat.get(locale.localeResolved)
      if (known === undefined) flat.set(locale.localeResolved, (known = new WeakMap()))
      const before = known.get(text)
      if (before !== undefined || known.has(text)) return before
      const found = findIn(layersOf(place.key, place.texts), locale.chain)?.text
      known.set(text, found)
      return found
    },
    own: (key, locale) => inOne(layersOf(key), locale.toLowerCase()),
    find: (key, chain) => findIn(layersOf(key), chain),
    beneath: (locale) => (key) => inOne(layersOf(key).slice(1), locale.toLowerCase())?.text,
    added(key) {
      const { added } = remembered()
      if (added.has(key)) return added.get(key)
      const layers = [files.of(key), fitting(key)]
      const made = layers.every(({ size }) => size === 0) ? undefined : joined(layers)
      added.set(key, made)
      return made
    },
    wordings(text) {
      if (typeof text === 'string') return { [languages.defaultLocale]: text }
      const place = named.get(text)
      if (place === undefined) return text
      const { wordings } = remembered()
      const known = wordings.get(text)
      if (known) return known
      const made = joined([place.texts, files.of(place.key), fitting(place.key)])
      wordings.set(text, made)
      return made
    },
    keys: () => new Set([...places.keys(), ...files.keys(), ...imported().keys(), ...BUILT_IN.keys()]),
  }
  return catalogue
}
