/** Sections of `domain` that a `$ref` can point into. */
export const SECTIONS = ['properties', 'objects', 'enums', 'resources', 'blocks'] as const

/** A `$ref`, read. */
export interface Reference {
  /** The file whose own content is meant; undefined for the definition itself. */
  readonly file: string | undefined
  /** Keys that lead from the top of the file, or from `domain`, to what is meant. */
  readonly keys: readonly string[]
}

/** The longest reference: far more than a path of files and a pointer take. */
const MAX_LENGTH = 2_000

/** Reads `#/properties/<name>` or `<file>#/<path>`; keys are escaped as in a JSON pointer (RFC 6901). */
export function parseReference(text: string): Reference | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const hash = text.indexOf('#/')
  if (hash < 0) return undefined
  const keys = text
    .slice(hash + 2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keys.includes('')) return undefined
  return { file: hash === 0 ? undefined : text.slice(0, hash), keys }
}

/** A reference as its author would write it. */
export const referenceText = ({ file, keys }: Reference): string => `${file ?? ''}#/${keys.join('/')}`
