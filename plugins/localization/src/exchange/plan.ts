import { setImmediate } from 'node:timers/promises'
import type { Model } from '@svc/domain/contract'
import { isCleanText } from '@svc/kernel'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Changes } from '../catalogue/imports.ts'
import { isKnownIn, judgeText } from '../catalogue/known.ts'
import { keyOf } from '../catalogue/locale-files.ts'
import { type ReadFile, type ReadText, Unreadable } from './read/read-file.ts'

export const REASONS = [
  'unknownKey',
  'placeholders',
  'duplicate',
  'tooLong',
  'markup',
  'pluralSyntax',
] as const
export type Reason = (typeof REASONS)[number]

export interface Skipped {
  readonly key: string
  readonly reason: Reason
}

/** The texts of a file that may be taken, and what is said of the others. */
export interface Judged {
  readonly taken: ReadonlyMap<string, string>
  /** Texts that are not done. */
  readonly drafts: number
  readonly skipped: readonly Skipped[]
  readonly changedSource: readonly string[]
}

/** Code points of one text. */
const LONGEST = 10_000
/** How many texts are judged before others get their turn. */
const SLICE = 500
/** A key that nobody has is told with so much of it. */
const LONGEST_KEY = 500

/** Judges the texts of a file, each by itself. Throws Unreadable for what cannot be stored at all. */
export async function judgeFile(file: ReadFile, catalogue: Catalogue, model: Model): Promise<Judged> {
  const isKnown = isKnownIn(catalogue, model)
  const { languages, find } = catalogue
  const chain = languages.chainOf(languages.defaultLocale)
  const isFromDefault = file.sourceLocale?.toLowerCase() === languages.defaultLocale.toLowerCase()
  const taken = new Map<string, string>()
  const seen = new Set<string>()
  const skipped: Skipped[] = []
  const changedSource: string[] = []
  let drafts = 0
  for (const [at, one] of file.texts.entries()) {
    if (at % SLICE === SLICE - 1) await setImmediate()
    if (!isCleanText(one.text))
      throw new Unreadable('A text holds a character that cannot be stored', one.line)
    const key = keyOf(one, isKnown)
    const reason = seen.has(key) ? 'duplicate' : reasonOf(key, one, isKnown, catalogue)
    seen.add(key)
    if (reason !== undefined) skipped.push({ key: key.slice(0, LONGEST_KEY), reason })
    else if (one.isDraft) drafts += 1
    else {
      taken.set(key, one.text)
      const source = find(key, chain)?.text ?? ''
      if (isFromDefault && one.source !== undefined && one.text !== '' && one.source !== source)
        changedSource.push(key)
    }
  }
  return { taken, drafts, skipped, changedSource }
}

function reasonOf(
  key: string,
  { text, hasMarkup }: ReadText,
  isKnown: (key: string) => boolean,
  catalogue: Catalogue,
): Reason | undefined {
  if (!isKnown(key)) return 'unknownKey'
  if (text === '') return undefined
  if (text.length > LONGEST && Array.from(text).length > LONGEST) return 'tooLong'
  return hasMarkup ? 'markup' : judgeText(key, text, catalogue)
}

/** What an import changes, and what it leaves as it is. */
export interface Outcome {
  readonly changes: Changes
  readonly imported: number
  readonly removed: number
  readonly unchanged: number
}

/** Compares what is taken with what was imported before, and with what is said without that. */
export function planImport(
  { taken, drafts }: Judged,
  before: ReadonlyMap<string, string>,
  beneath: (key: string) => string | undefined,
): Outcome {
  const changes = new Map<string, string | undefined>()
  let [imported, removed, unchanged] = [0, 0, drafts]
  for (const [key, text] of taken) {
    if (text === '' && before.has(key)) {
      changes.set(key, undefined)
      removed += 1
    } else if (text === '' || text === (before.get(key) ?? beneath(key))) unchanged += 1
    else {
      changes.set(key, text)
      imported += 1
    }
  }
  return { changes, imported, removed, unchanged }
}
