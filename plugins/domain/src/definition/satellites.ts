import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  entriesOf,
  type Entry,
  isMap,
  mapOf,
  type MapNode,
  type Place,
  placeOf,
  positionOf,
} from './document.ts'
import type { Findings } from './findings.ts'
import { FileFault, type Folder } from './folder.ts'
import type { Document } from './read.ts'

/** The key of the domain that has its languages, and the place in it for what locale files say. */
const LANGUAGES = 'localization'
const FILES = 'locales'

/** A document with the texts of the locale files beside it, and whether these may read variables. */
export interface WithSatellites {
  readonly root: MapNode
  readonly hasVariables: boolean
}

/**
 * Reads `locales/*.yaml` beside the root file of a definition that declares languages. What they say stands under
 * `domain.localization.locales`, by the names of the files, from there on: a stored definition brings it along (`isResolved`).
 */
export async function withSatellites(
  root: MapNode,
  { folder, isResolved }: { readonly folder: Folder | undefined; readonly isResolved: boolean },
  findings: Findings,
): Promise<WithSatellites> {
  const { domain } = root
  const languages = isMap(domain) ? domain[LANGUAGES] : undefined
  if (isResolved || !isMap(domain) || !isMap(languages)) return { root, hasVariables: false }
  const own = withoutFiles(languages, root, findings)
  const files = folder ? await filesIn(folder, findings) : []
  if (files.length === 0 && own === languages) return { root, hasVariables: false }
  const place = placeOf(domain, LANGUAGES)
  const texts: readonly Entry[] = files.length === 0 ? [] : [[FILES, mapOf(files.map(entryOf)), place]]
  const merged = mapOf([...entriesOf(own), ...texts])
  return {
    root: replaced(root, 'domain', replaced(domain, LANGUAGES, merged)),
    hasVariables: files.some(({ document }) => document.hasVariables),
  }
}

/** Nobody writes there by hand: as with every key that is not known, it is told and has no effect. */
function withoutFiles(languages: MapNode, root: MapNode, findings: Findings): MapNode {
  if (!Object.hasOwn(languages, FILES)) return languages
  const path = ['domain', LANGUAGES, FILES]
  const hint = "Locales are listed under 'supportedLocales', and texts stand in locales/<locale>.yaml"
  findings.warn(path, 'is not known here and has no effect', positionOf(root, path), hint)
  return mapOf(entriesOf(languages).filter(([key]) => key !== FILES))
}

interface File {
  /** Without its ending. */
  readonly name: string
  readonly document: Document
}

const entryOf = ({ name, document: { root, source } }: File): Entry => {
  const place: Place = { source, key: 0, value: 0 }
  return [name, root, place]
}

async function filesIn(folder: Folder, findings: Findings): Promise<readonly File[]> {
  const names = await readdir(join(folder.path, FILES)).catch(() => [])
  const found = names.filter((name) => name.endsWith('.yaml')).toSorted()
  const files: File[] = []
  for (const name of found) {
    const path = join(folder.path, FILES, name)
    try {
      const document = await folder.read(await folder.real(path), findings)
      files.push({ name: name.slice(0, -'.yaml'.length), document })
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      throw findings.fatal(['domain', LANGUAGES, FILES], error.message)
    }
  }
  return files
}

const replaced = (map: MapNode, key: string, value: MapNode): MapNode =>
  mapOf(entriesOf(map).map(([name, before, place]) => [name, name === key ? value : before, place]))
