import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createAsset, type Asset } from '@svc/rest/contract'
import { INIT_SCRIPT } from './init-script.ts'

const SCRIPT = 'text/javascript; charset=utf-8'
const require = createRequire(import.meta.url)

/** What the page consists of besides its HTML: where each file comes from, and its media type. */
const FILES = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: packaged('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: SCRIPT, read: packaged('swagger-ui-bundle.js') },
  'favicon-32x32.png': { type: 'image/png', read: packaged('favicon-32x32.png') },
  'init.js': { type: SCRIPT, read: () => Buffer.from(INIT_SCRIPT) },
} as const

export type AssetName = keyof typeof FILES

/** The files of the page. */
export interface Assets {
  find(name: string): Asset | undefined
  /** The address of a file, relative to the page; it changes with the content. */
  address(name: AssetName): string
}

/** Reads each file once, when it is first asked for. */
export function createAssets(): Assets {
  const read = new Map<AssetName, Asset>()
  const get = (name: AssetName): Asset => {
    const served = read.get(name) ?? createAsset(FILES[name].type, FILES[name].read())
    read.set(name, served)
    return served
  }
  return {
    find: (name) => (isAsset(name) ? get(name) : undefined),
    address: (name) => `docs/assets/${name}?v=${get(name).hash}`,
  }
}

const isAsset = (name: string): name is AssetName => Object.hasOwn(FILES, name)

function packaged(name: string): () => Uint8Array {
  return () => readFileSync(require.resolve(`swagger-ui-dist/${name}`))
}
