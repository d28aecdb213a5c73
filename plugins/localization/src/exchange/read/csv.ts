import { setImmediate } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import { unguarded } from '../guard.ts'
import { assertRoom, type ReadFile, type ReadText, Unreadable } from './read-file.ts'

/** How many characters are read before others get their turn. */
const SLICE = 64 * 1024
/** The longest line: one text with its source and context, and room to spare. */
const LONGEST_LINE = 200_000

/** Reads CSV with the columns of an export; other marks between cells are told by the header. Throws Unreadable. */
export async function readCsv(text: string): Promise<ReadFile> {
  const delimiter = /^"?key"?([,;\t])/.exec(text)?.[1] ?? ','
  const [header, ...lines] = await linesOf(text, delimiter)
  const columns = header?.record ?? []
  const [, , sourceLocale, locale] = columns
  if (locale === undefined || locale === '' || columns.length !== 4)
    throw new Unreadable('The first line must be key,context,<default locale>,<locale>', 1)
  const texts = lines.map(({ record, line }): ReadText => {
    const [key = '', , source = '', text = ''] = record.map(unguarded)
    return { key, text, line, source }
  })
  return { format: 'csv', locale, sourceLocale, texts }
}

interface Line {
  readonly record: readonly string[]
  readonly line: number
}

async function linesOf(text: string, delimiter: string): Promise<readonly Line[]> {
  const lines: Line[] = []
  let at = 1
  const parser = parse({
    delimiter,
    max_record_size: LONGEST_LINE,
    skip_empty_lines: true,
    on_record: (record: string[], { lines: end }) => {
      assertRoom(lines.length - 1, at)
      lines.push({ record, line: at })
      at = end + 1
      return null
    },
  })
  parser.resume()
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve)
    parser.on('error', (error) => reject(unreadable(error, at)))
  })
  // Refused while it is written, it is told where it is awaited.
  ended.catch(() => undefined)
  for (let from = 0; from < text.length && !parser.destroyed; from += SLICE) {
    parser.write(text.slice(from, from + SLICE))
    await setImmediate()
  }
  if (!parser.destroyed) parser.end()
  await ended
  return lines
}

const unreadable = (error: Error, line: number): Error =>
  error instanceof CsvError
    ? new Unreadable(`The file is not CSV: ${error.message}`, Number(error['lines'] ?? line))
    : error
