/**
 * The family that a font of TrueType or OpenType says it belongs to (the table `name` of ISO/IEC 14496-22): documents name
 * fonts by it. Undefined where the bytes are no such font.
 */
export function fontFamily(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (!KINDS.has(view.getUint32(0))) return undefined
    const table = nameTable(view)
    if (table === undefined) return undefined
    const names = familyNames(view, table)
    // The typographic family has all styles; the other one at most four.
    return names.get(TYPOGRAPHIC) ?? names.get(PLAIN)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** What a file begins with: outlines of TrueType, and of PostScript (`OTTO`). */
const KINDS: ReadonlySet<number> = new Set([0x00010000, 0x74727565, 0x4f54544f])

/** `name`. */
const NAME = 0x6e616d65
const PLAIN = 1
const TYPOGRAPHIC = 16
const WINDOWS = 3

function nameTable(view: DataView): number | undefined {
  for (let at = 0; at < view.getUint16(4); at++)
    if (view.getUint32(12 + 16 * at) === NAME) return view.getUint32(12 + 16 * at + 8)
  return undefined
}

/** The names of families by their number, the first of each: they stand in UTF-16. */
function familyNames(view: DataView, table: number): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  const texts = table + view.getUint16(table + 4)
  for (let at = 0; at < view.getUint16(table + 2); at++) {
    const entry = table + 6 + 12 * at
    const [platform, name] = [view.getUint16(entry), view.getUint16(entry + 6)]
    if (platform !== WINDOWS || names.has(name) || (name !== PLAIN && name !== TYPOGRAPHIC)) continue
    const [length, offset] = [view.getUint16(entry + 8), view.getUint16(entry + 10)]
    const units = Array.from({ length: length / 2 }, (_, unit) => view.getUint16(texts + offset + 2 * unit))
    const text = String.fromCharCode(...units)
    if (text !== '' && text.isWellFormed()) names.set(name, text)
  }
  return names
}
