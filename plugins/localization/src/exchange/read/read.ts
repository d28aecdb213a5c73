import { type ReadFile, Unreadable } from './read-file.ts'
import { readXliff } from './xliff.ts'
import { readYaml } from './yaml.ts'

/** Reads a file of translations, told by its content. Throws Unreadable. */
export async function readTranslations(bytes: Uint8Array): Promise<ReadFile> {
  const text = decoded(bytes)
  const unclean = text.indexOf('\0')
  if (unclean >= 0) throw new Unreadable('A NUL cannot be stored', lineAt(text, unclean))
  if (/^\s*</.test(text)) return readXliff(text)
  if (!CSV.test(text)) return readYaml(text)
  // Loaded where it is used: few servers ever read CSV.
  const { readCsv } = await import('./csv.ts')
  return readCsv(text)
}

/** The header that every export has. */
const CSV = /^"?key"?[,;\t]"?context"?[,;\t]/

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Unreadable('The file is not written in UTF-8', 1)
  }
}

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
