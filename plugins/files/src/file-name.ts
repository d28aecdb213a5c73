import { extensionOf, hasExtension } from './media-types/media-type.ts'

const MAX_BYTES = 255
/** A longer one is no extension. */
const EXTENSION = /\.[^.\s]{1,20}$/u

/**
 * What a sender calls a file, as it is kept: what stands behind the last slash, without control characters and marks that
 * turn the direction of text, without dots and spaces at either end, 255 bytes at most with its extension kept. Undefined
 * where nothing is left.
 */
export function fileNameOf(written: string): string | undefined {
  const last = written.split(/[/\\]/).at(-1)!
  const name = trimmed(
    last
      .toWellFormed()
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Bidi_Control}]/gu, ''),
  )
  if (name === '') return undefined
  if (Buffer.byteLength(name) <= MAX_BYTES) return name
  const extension = EXTENSION.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - extension.length)
  return trimmed(cut(stem, MAX_BYTES - Buffer.byteLength(extension)) + extension)
}

const trimmed = (text: string): string => text.replace(/^[.\s]+|[.\s]+$/gu, '')

function cut(text: string, bytes: number): string {
  let left = bytes
  let kept = ''
  for (const character of text) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    kept += character
  }
  return kept
}

/** The name under which a file is given out: it ends in an extension of its type, so that nobody opens it as something else. */
export function givenName(name: string, type: string): string {
  const extension = EXTENSION.exec(name)?.[0].slice(1)
  return extension !== undefined && hasExtension(type, extension) ? name : `${name}.${extensionOf(type)}`
}

/** `Content-Disposition` of a file that is to be saved (RFC 6266), with a name for who reads no other letters than ASCII. */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
