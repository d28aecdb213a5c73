/**
 * Whether a style sheet, the value of a `style` attribute or that of a presentation attribute names nothing outside of its
 * document: `url()` leads to `#id` alone, other functions are of those known here, and nothing is escaped. It reads tokens
 * as CSS Syntax 3 has them and takes time in proportion to the text.
 */
export function isPlainCss(text: string, form: 'sheet' | 'value'): boolean {
  if (text.includes('\\')) return false
  // Where such a sheet is read as part of a page, it could end there.
  if (form === 'sheet' && text.includes('<')) return false
  let at = 0
  while (at < text.length) {
    const next = token(text, at, form)
    if (next === undefined) return false
    at = next
  }
  return true
}

/** Where the token that begins at a place ends; undefined where it must not stand there. */
function token(text: string, at: number, form: 'sheet' | 'value'): number | undefined {
  const mark = text[at]!
  if (mark === '/' && text[at + 1] === '*') return commentEnd(text, at)
  if (mark === '"' || mark === "'") return stringEnd(text, at)
  if (mark === '@') return atRule(text, at, form)
  if (!isNamed(text.charCodeAt(at))) return at + 1
  const end = nameEnd(text, at)
  if (text[end] !== '(') return end
  const called = text.slice(at, Math.min(end, at + MAX_NAME)).toLowerCase()
  if (called === 'url') return urlEnd(text, end + 1)
  return FUNCTIONS.has(called) ? end + 1 : undefined
}

/** What is left out elsewhere is none in a comment either: whoever looks for it finds nothing. */
function commentEnd(text: string, at: number): number | undefined {
  const end = text.indexOf('*/', at + 2)
  return end === -1 || /[@(]/.test(text.slice(at, end)) ? undefined : end + 2
}

/** A line that ends inside of a string makes it another token. */
function stringEnd(text: string, at: number): number | undefined {
  const end = text.indexOf(text[at]!, at + 1)
  return end === -1 || /[\n\r\f]/.test(text.slice(at, end)) ? undefined : end + 1
}

function atRule(text: string, at: number, form: 'sheet' | 'value'): number | undefined {
  const end = nameEnd(text, at + 1)
  const rule = text.slice(at + 1, Math.min(end, at + MAX_NAME)).toLowerCase()
  return form === 'sheet' && AT_RULES.has(rule) ? end : undefined
}

/** `#id`, bare or in quotes, with blanks around. */
const LOCAL = /[ \t\n\r\f]*(?:#[^\s"'()#]+|"#[^\s"'()#]+"|'#[^\s"'()#]+')[ \t\n\r\f]*\)/y

function urlEnd(text: string, at: number): number | undefined {
  LOCAL.lastIndex = at
  return LOCAL.test(text) ? LOCAL.lastIndex : undefined
}

function nameEnd(text: string, at: number): number {
  let end = at
  while (isNamed(text.charCodeAt(end))) end += 1
  return end
}

/** Letters, digits, `-`, `_` and all that ASCII has not; not the end of the text, which is NaN. */
const isNamed = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 45 ||
  code === 95 ||
  code >= 128

/** The longest name that is known. */
const MAX_NAME = 40

/** What reaches for nothing; `@import`, `@font-face` and `@namespace` do. */
const AT_RULES: ReadonlySet<string> = new Set(['media', 'supports', 'keyframes', '-webkit-keyframes'])

/** `image-set()`, `src()`, `cross-fade()` and others of theirs take addresses as strings. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix var env calc min max clamp abs sign round mod rem sin cos tan
  matrix matrix3d perspective rotate rotate3d rotatex rotatey rotatez scale scale3d scalex scaley scalez skew skewx skewy
  translate translate3d translatex translatey translatez cubic-bezier steps linear linear-gradient radial-gradient
  conic-gradient repeating-linear-gradient repeating-radial-gradient blur brightness contrast drop-shadow grayscale
  hue-rotate invert opacity saturate sepia circle ellipse inset polygon path rect not is where has lang nth-child
  nth-last-child nth-of-type nth-last-of-type`.split(/\s+/),
)
