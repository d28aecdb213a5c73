import type { Position } from './problem.ts'

/** One text that a definition is written in. */
export class Source {
  /** Without the byte order mark. */
  readonly text: string
  /** The file as its author would name it, relative to the folder of the root file. */
  readonly file: string | undefined
  /** The absolute path of the file. */
  readonly path: string | undefined
  #lines: readonly number[] | undefined

  constructor(text: string, file?: string, path?: string) {
    this.text = text.startsWith('\uFEFF') ? text.slice(1) : text
    this.file = file
    this.path = path
  }

  /** The position of a character, counted in UTF-16 units from 0. */
  positionAt(offset: number): Position {
    this.#lines ??= lineStarts(this.text)
    const line = lastAtOrBefore(this.#lines, offset)
    return { file: this.file, line: line + 1, column: offset - this.#lines[line]! + 1 }
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (const end of text.matchAll(/\r\n?|\n/g)) starts.push(end.index + end[0].length)
  return starts
}

/** The index of the last of the ascending numbers that is not above `limit`. */
function lastAtOrBefore(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (ascending[middle]! <= limit) low = middle
    else high = middle - 1
  }
  return low
}
