import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Cluster, clusterOf, systemBinaries } from './cluster.ts'
import { TEST_CLUSTER } from './postgres.ts'

/** A server whose databases can have the extension `postgis`. */
export type SpatialServer = Pick<Cluster, 'url' | 'stop'>

/**
 * A PostgreSQL server that knows PostGIS: a named one, else the operating system's, else that with Debian's packages of
 * PostGIS beside it, which are fetched once and installed nowhere. Throws where there is none.
 */
export async function startSpatialServer(): Promise<SpatialServer> {
  const named = process.env['TEST_POSTGIS_URL']
  if (named !== undefined) return { url: named, stop: async () => undefined }
  const reasons: string[] = []
  for (const binaries of systemBinaries()) {
    try {
      if (existsSync(join(shareOf(binaries), 'extension', 'postgis.control')))
        return await clusterOf(binaries, TEST_CLUSTER)
      const { root, libraries } = unpacked(binaries)
      const surroundings = { LD_LIBRARY_PATH: libraries, PROJ_DATA: join(root, 'usr/share/proj') }
      return await clusterOf(join(root, binaries), { ...TEST_CLUSTER, surroundings })
    } catch (error) {
      reasons.push(`${binaries}: ${String(error)}`)
    }
  }
  throw missing(reasons)
}

function missing(reasons: readonly string[]): Error {
  const message =
    'No PostgreSQL with PostGIS was found: NO TEST OF GEOMETRIES RUNS ON THE POSTGRES STORE. Set TEST_POSTGIS_URL, ' +
    'install PostGIS, or set TEST_WITHOUT_POSTGIS=1 to go without it.'
  process.stderr.write(`\n*** ${message} ***\n${reasons.join('\n')}\n\n`)
  return new Error(message)
}

const versionOf = (binaries: string): string => basename(dirname(binaries))

/** Where Debian keeps what these binaries share with those of other machines. */
const shareOf = (binaries: string): string => join('/usr/share/postgresql', versionOf(binaries))

interface Unpacked {
  /** A folder that has the server and PostGIS at the paths that they have in a system. */
  readonly root: string
  /** The folders of the libraries that PostGIS needs, joined by colons. */
  readonly libraries: string
}

/** The server with PostGIS in a folder for this machine, which is made once. */
function unpacked(binaries: string): Unpacked {
  const root = join(tmpdir(), `svc-postgis-${versionOf(binaries)}-${process.getuid?.() ?? 0}`)
  if (!existsSync(root)) unpack(binaries, root)
  if (statSync(root).uid !== (process.getuid?.() ?? 0)) throw new Error(`'${root}' belongs to somebody else`)
  const folders = readdirSync(join(root, 'usr/lib')).map((name) => join(root, 'usr/lib', name))
  return { root, libraries: folders.join(':') }
}

function unpack(binaries: string, root: string): void {
  const making = mkdtempSync(join(tmpdir(), 'svc-postgis-making-'))
  try {
    chmodSync(making, 0o755)
    const packages = join(making, 'packages')
    mkdirSync(packages)
    execFileSync('apt-get', ['download', ...neededFor(versionOf(binaries))], { cwd: packages, stdio: 'pipe' })
    for (const name of readdirSync(packages)) execFileSync('dpkg', ['-x', join(packages, name), making])
    rmSync(packages, { recursive: true })
    // A server looks for its extensions from where it lies itself.
    for (const own of [dirname(binaries), shareOf(binaries)])
      cpSync(own, join(making, own), { recursive: true, dereference: true, force: false })
    const extensions = join(making, shareOf(binaries), 'extension')
    symlinkSync('postgis-3.control', join(extensions, 'postgis.control'))
    renameSync(making, root)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    // Another run may have been first.
    if (!existsSync(root)) throw error
  }
}

/** Of what PostGIS loads, `postgis_raster` and its many libraries are left out. */
const LIBRARIES = ['libgeos-c1v5', 'libproj25', 'libjson-c5', 'libprotobuf-c1', 'libxml2']
const DEPENDS = [
  'depends',
  '--recurse',
  '--no-recommends',
  '--no-suggests',
  '--no-conflicts',
  '--no-breaks',
  '--no-replaces',
  '--no-enhances',
]

/** The packages that are not installed here. */
function neededFor(version: string): readonly string[] {
  const own = [`postgresql-${version}-postgis-3`, `postgresql-${version}-postgis-3-scripts`]
  const all = lines('apt-cache', [...DEPENDS, ...LIBRARIES]).filter((line) => /^\w/.test(line))
  const installed = new Set(lines('dpkg-query', ['-W', '-f', '${Package}\\n']))
  return [...own, ...new Set(all.filter((name) => !installed.has(name)))]
}

const lines = (command: string, args: readonly string[]): readonly string[] =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\n')
