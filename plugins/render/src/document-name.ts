import { FORMAT_FACTS, type FormatName } from './formats/formats.ts'

/** The name of a file, of what a template's `filename` was filled to. What nothing is left of is `document`. */
export function documentName(text: string, format: FormatName): string {
  const { extension } = FORMAT_FACTS[format]
  const clean = trimmed(text.toWellFormed().replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '-'))
  const isNamed = clean.toLowerCase().endsWith(extension)
  const stem = isNamed ? clean.slice(0, -extension.length) : clean
  const most = MOST_CHARACTERS - (isNamed ? extension.length : 0)
  const short = trimmed(Array.from(trimmed(stem)).slice(0, most).join(''))
  return `${short === '' ? 'document' : short}${isNamed ? clean.slice(-extension.length) : extension}`
}

const MOST_CHARACTERS = 150

const trimmed = (text: string): string => text.replaceAll(/^[. ]+|[. ]+$/g, '')
