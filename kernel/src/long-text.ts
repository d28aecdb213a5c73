/** From so many characters on, a text is encoded in turns of the event loop. */
export const LONG_TEXT = 1_000_000

/** What is encoded in one go, in characters. */
const PIECE = 200_000
/** How long that goes on before everybody else gets their turn, in milliseconds. */
const TURN_MS = 5

const aside = () => new Promise((resolve) => void setImmediate(resolve))

/** A text as UTF-8. Nobody who waits for something else waits for all of it. */
export async function encodedAside(parts: readonly string[]): Promise<Uint8Array> {
  let began = performance.now()
  const rest = async () => {
    if (performance.now() - began < TURN_MS) return
    await aside()
    began = performance.now()
  }
  let size = 0
  for (const piece of piecesOf(parts)) {
    size += Buffer.byteLength(piece)
    await rest()
  }
  const bytes = Buffer.allocUnsafeSlow(size)
  let at = 0
  for (const piece of piecesOf(parts)) {
    at += bytes.write(piece, at)
    await rest()
  }
  return bytes
}

/** A character outside of the basic plane is two of a string, which stay together. */
function* piecesOf(parts: readonly string[]): Generator<string> {
  for (const part of parts) {
    if (part.length <= PIECE) yield part
    else
      for (let from = 0; from < part.length;) {
        const end = from + PIECE
        const to = HIGH.test(part.charAt(end - 1)) ? end + 1 : end
        yield part.slice(from, to)
        from = to
      }
  }
}

const HIGH = /[\uD800-\uDBFF]/
