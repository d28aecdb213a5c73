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

  /** Where one of them ends that begins at a place; the longest counts. */
  function endAt(text: string, from: number): number | undefined {
    if (!beginnings.has(text.slice(from, from + shortest))) return undefined
    const length = lengths.find(
      (one) => words.has(text.slice(from, from + one)) && !goesOnAt(text, from + one),
    )
    return length === undefined ? undefined : from + length
  }

  function* foundIn(text: string): Iterable<Found> {
    if (words.size === 0 || text.length < shortest) return
    const even = folded(text)
    for (let from = 0; from + shortest <= even.length;) {
      const to = goesOnBefore(even, from) ? undefined : endAt(even, from)
      if (to !== undefined && to > from) yield { from, to }
      from = to !== undefined && to > from ? to : from + 1
    }
  }

  return {
    replace(text, by) {
      let made = ''
      let at = 0
      for (const { from, to } of foundIn(text)) {
        made += text.slice(at, from) + by
        at = to
      }
      return at === 0 ? text : made + text.slice(at)
    },
    stand(text) {
      for (const _ of foundIn(text)) return true
      return false
    },
  }
}

/** A text without differences of case, in which every character stands where it stood. */
function folded(text: string): string {
  const lower = text.toLowerCase()
  if (/^[ -~]*$/.test(lower) && lower.length === text.length) return lower
  return Array.from(text, (one) => {
    const [upper, even] = [one.toUpperCase(), one.toLowerCase()]
    const made = upper.length === one.length ? upper.toLowerCase() : even
    return made.length === one.length ? made : one
  }).join('')
}

const WORD = /[\p{L}\p{N}]/u

function goesOnAt(text: string, at: number): boolean {
  const code = text.codePointAt(at)
  return code !== undefined && WORD.test(String.fromCodePoint(code))
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
