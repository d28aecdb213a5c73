import { readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Path, Site } from '@svc/domain/contract'
import { errors } from '@svc/kernel'

/** The files that definitions may name: those below one folder of the operator's. */
export interface Files {
  /** What is wrong with a name; undefined where nothing is. */
  faultOf(name: string): readonly [message: string, hint: string] | undefined
  /** The text of a file as it is now: it is read again when it has changed. Throws CONFLICT where it cannot be read. */
  read(name: string): string
}

/** Reads files below `folder`, links resolved; undefined: there are none. */
export function createFiles(folder: string | undefined): Files {
  const known = new Map<string, { readonly stamp: string; readonly text: string }>()
  const placeOf = (name: string): string | undefined => {
    if (folder === undefined) return undefined
    try {
      const root = realpathSync(folder)
      const place = realpathSync(path.resolve(root, name))
      return place.startsWith(root + path.sep) ? place : undefined
    } catch {
      return undefined
    }
  }
  return {
    faultOf(name) {
      if (folder === undefined)
        return ['names a file, and there is no folder of files', "Configure 'integrations.files_dir'"]
      if (placeOf(name) !== undefined) return undefined
      return [`is no file below 'integrations.files_dir'`, 'Put it there, and name it from there on']
    },
    read(name) {
      try {
        const place = placeOf(name)
        if (place === undefined) throw new Error('it is not there')
        const { ino, mtimeMs, size } = statSync(place)
        const stamp = `${ino} ${mtimeMs} ${size}`
        const found = known.get(place)
        if (found?.stamp === stamp) return found.text
        const text = readFileSync(place, 'utf8')
        known.set(place, { stamp, text })
        return text
      } catch (cause) {
        throw errors.CONFLICT({
          message: `The file '${name.slice(0, 100)}' cannot be read below 'integrations.files_dir'`,
          cause,
        })
      }
    },
  }
}

/** Reports a file that nobody can read; whether it can be. */
export function checkFile(name: string, at: Path, site: Site, { faultOf }: Files): boolean {
  const fault = faultOf(name)
  if (fault !== undefined) site.problem(at, ...fault)
  return fault === undefined
}
