/** Finds some texts in others, however many they are: wherever no letter or digit goes on before or after one, in any case. */
export interface Words {
  /** The text with each of them replaced: the same text where none is there. */
  replace(text: string, by: string): string
  stand(text: string): boolean
}

interface Found {
  readonly from: number
  readonly to: number
}

/** Makes what finds these texts. What it costs to look goes by the text that is looked through, and not by their number. */
export function createWords(texts: readonly string[]): Words {
  const words = new Set(texts.map(folded))
  const lengths = [...new Set([...words].map(({ length }) => length))].toSorted((a, b) => b - a)
  const shortest = lengths.at(-1) ?? Infinity
  const beginnings = new Set([...words].map((word) => word.slice(0, shortest)))
  /** Whether any may begin with a character, by the low byte of that: most places are passed over by this alone. */
  const firsts = new Uint8Array(0x1_00)
  for (const word of words) firsts[word.charCodeAt(0) & 0xff] = 1

  /** Where one of them ends that begins at a place; the longest counts. */
  function endAt(text: string, from: number): number | undefined {
    if (!beginnings.has(text.slice(from, from + shortest))) return undefined
    const length = lengths.find(
      (one) => words.has(text.slice(from, from + one)) && !goesOnAt(text, from + one),
    )
    return length === undefined ? undefined : from + length
  }

  /** The first of them from a place on. */
  function nextIn(text: string, at: number): Found | undefined {
    for (let from = at; from + shortest <= text.length; from += 1) {
      if (firsts[text.charCodeAt(from) & 0xff] !== 1 || goesOnBefore(text, from)) continue
      const to = endAt(text, from)
      if (to !== undefined && to > from) return { from, to }
    }
    return undefined
  }

  return {
    replace(text, by) {
      if (text.length < shortest) return text
      const even = folded(text)
      let made = ''
      let at = 0
      for (let found = nextIn(even, 0); found !== undefined; found = nextIn(even, at)) {
        made += text.slice(at, found.from) + by
        at = found.to
      }
      return at === 0 ? text : made + text.slice(at)
    },
    stand: (text) => text.length >= shortest && nextIn(folded(text), 0) !== undefined,
  }
}

const PRINTED = /^[ -~]*$/

/** A text without differences of case, in which every character stands where it stood. */
function folded(text: string): string {
  const lower = text.toLowerCase()
  if (PRINTED.test(lower) && lower.length === text.length) return lower
  return Array.from(text, (one) => {
    const [upper, even] = [one.toUpperCase(), one.toLowerCase()]
    const made = upper.length === one.length ? upper.toLowerCase() : even
    return made.length === one.length ? made : one
  }).join('')
}

const WORD = /[\p{L}\p{N}]/u

/** The same of the characters of ASCII, by their codes. */
const ASCII_WORD = Uint8Array.from({ length: 0x80 }, (_, code) =>
  Number(WORD.test(String.fromCharCode(code))),
)

function goesOnAt(text: string, at: number): boolean {
  const code = text.codePointAt(at)
  if (code === undefined) return false
  return code < 0x80 ? ASCII_WORD[code] === 1 : WORD.test(String.fromCodePoint(code))
}

/** Whether the character before a place is a letter or a digit; in the middle of a character nothing begins. */
function goesOnBefore(text: string, at: number): boolean {
  if (at === 0) return false
  if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) return true
  const isPair = at > 1 && isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2))
  return goesOnAt(text, isPair ? at - 2 : at - 1)
}

const isHigh = (code: number): boolean => code >= 0xd8_00 && code < 0xdc_00
const isLow = (code: number): boolean => code >= 0xdc_00 && code < 0xe0_00
