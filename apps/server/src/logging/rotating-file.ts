import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A place that takes finished lines. */
export interface Sink {
  write(line: string): void
  close(): void
}

/**
 * A file that is renamed to `path.1` once it would grow past `maxBytes`; the present lines are always in
 * `path`, and `maxFiles` files are kept in all. A line is never split, and none is lost by a rotation.
 */
export function rotatingFile(path: string, maxBytes: number, maxFiles: number): Sink {
  mkdirSync(dirname(path), { recursive: true })
  let file = openSync(path, 'a', 0o640)
  let size = fstatSync(file).size

  const rotate = () => {
    closeSync(file)
    for (let number = maxFiles - 1; number >= 1; number--) {
      const older = number === 1 ? path : `${path}.${number - 1}`
      if (existsSync(older)) renameSync(older, `${path}.${number}`)
    }
    file = openSync(path, maxFiles === 1 ? 'w' : 'a', 0o640)
    size = 0
  }

  return {
    write(line) {
      const bytes = Buffer.byteLength(line)
      if (size > 0 && size + bytes > maxBytes) rotate()
      writeSync(file, line)
      size += bytes
    },
    close: () => closeSync(file),
  }
}
