import { MAX_LINE_BYTES } from './limits.ts'

const NEWLINE = 0x0a

/** Stands for a line that was longer than the limit; none of it is kept. */
export const TOO_LONG = Symbol('a line over the limit')
export type Line = Uint8Array | typeof TOO_LONG

/** Cuts bytes into lines, however they arrive; keeps at most one line of the largest size. */
export interface LineReader {
  /** The lines that `chunk` completes. A long line is reported as soon as it is too long. */
  push(chunk: Uint8Array): Line[]
  /** The last line, where the bytes end without a newline. */
  end(): Line[]
}

export function createLineReader(): LineReader {
  let parts: Uint8Array[] = []
  let size = 0
  let skipping = false

  const take = (): Uint8Array => {
    const line = Buffer.concat(parts)
    parts = []
    size = 0
    return line
  }

  /** Adds a piece of the present line; answers false once the line is too long. */
  const keep = (piece: Uint8Array): boolean => {
    size += piece.length
    if (size <= MAX_LINE_BYTES) {
      parts.push(piece)
      return true
    }
    take()
    return false
  }

  return {
    push(chunk) {
      const lines: Line[] = []
      for (let from = 0; from < chunk.length;) {
        const newline = chunk.indexOf(NEWLINE, from)
        const to = newline === -1 ? chunk.length : newline
        if (!skipping && !keep(chunk.subarray(from, to))) {
          lines.push(TOO_LONG)
          skipping = true
        }
        if (newline === -1) break
        if (!skipping) lines.push(take())
        skipping = false
        from = newline + 1
      }
      return lines
    },
    end: () => (size === 0 ? [] : [take()]),
  }
}
