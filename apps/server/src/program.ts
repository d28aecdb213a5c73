import { basename, relative } from 'node:path'

/** Where people called the program from; a server moves to the folder of its configuration. */
const START_FOLDER = process.cwd()

/** How this program is called from there: `svc`, or Node and the path of a checkout's build. */
export function programCall(script = process.argv[1] ?? 'svc'): string {
  const name = basename(script)
  return name === 'svc' ? name : `node ${quoted(shortPath(script))}`
}

/** A path as people write it from where they are, where that is shorter. */
export function shortPath(path: string): string {
  const near = relative(START_FOLDER, path)
  return near.length < path.length ? near : path
}

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
