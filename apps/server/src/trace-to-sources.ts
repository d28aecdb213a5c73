import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Lets stack traces name the sources that the program was bundled from. Node would read the maps at every start and
 * keep them; here they are read when somebody first reads a trace.
 */
export function traceToSources(): void {
  Error.prepareStackTrace = (error, sites) =>
    [String(error), ...sites.map((site) => `    at ${atSource(String(site))}`)].join('\n')
}

/** A place in a bundled file, as V8 writes it. */
const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/

function atSource(site: string): string {
  return site.replace(PLACE, (place, url: string, line: string, column: string) => {
    // Lines and columns of maps begin at 0.
    const found = mapOf(fileURLToPath(url))?.findEntry(Number(line) - 1, Number(column) - 1)
    if (found === undefined || !('originalSource' in found)) return place
    return `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`
  })
}

const maps = new Map<string, SourceMap | undefined>()

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`))
  return maps.get(file)
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // A file without a map is traced as it is.
    return undefined
  }
}
