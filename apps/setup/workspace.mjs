// What the packages of the house say of each other, in their manifests and in the compiler's configurations, follows
// from what their sources import: nobody writes it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** What each package says of the others, as it is `written` and as it is `wanted`; paths are from the root. */
export function statements(root) {
  const folders = ['kernel', ...subfolders(root, 'plugins'), 'apps/server']
  const folderOf = new Map(folders.map((folder) => [jsonIn(root, `${folder}/package.json`).name, folder]))
  return folders.flatMap((folder) => {
    const names = importedBy(root, folder).filter((name) => folderOf.has(name))
    const { dependencies = {} } = jsonIn(root, `${folder}/package.json`)
    const { references = [] } = jsonIn(root, `${folder}/tsconfig.json`)
    return [
      {
        file: `${folder}/package.json`,
        written: Object.keys(dependencies).filter(isOfHouse).toSorted(),
        wanted: names,
      },
      {
        file: `${folder}/tsconfig.json`,
        written: references.map((reference) => reference.path).toSorted(),
        wanted: names.map((name) => path.posix.relative(folder, folderOf.get(name))).toSorted(),
      },
    ]
  })
}

/** Writes what is wanted where it is not written; answers the files that were changed. */
export function renew(root) {
  const changed = statements(root).filter(({ written, wanted }) => String(written) !== String(wanted))
  for (const { file, wanted } of changed) {
    const change = file.endsWith('package.json') ? withDependencies : withReferences
    const text = JSON.stringify(change(jsonIn(root, file), wanted), undefined, 2)
    writeFileSync(path.join(root, file), `${text}\n`)
  }
  return changed.map(({ file }) => file)
}

/** What is not of the house stays as it is written. */
function withDependencies(manifest, names) {
  const others = Object.entries(manifest.dependencies ?? {}).filter(([name]) => !isOfHouse(name))
  const all = [...others, ...names.map((name) => [name, 'workspace:*'])]
  return { ...manifest, dependencies: Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1))) }
}

const withReferences = (config, paths) => ({ ...config, references: paths.map((one) => ({ path: one })) })

const isOfHouse = (name) => name.startsWith('@svc/')

/** The packages of the house that the sources of a folder import, types and all; tests do not count. */
function importedBy(root, folder) {
  const names = new Set()
  for (const file of sourcesIn(path.join(root, folder, 'src')))
    for (const [, stated, dynamic] of readFileSync(file, 'utf8').matchAll(IMPORTED))
      names.add(stated ?? dynamic)
  return [...names].toSorted()
}

/** A statement begins its line; a dynamic import may stand anywhere. */
const IMPORTED =
  /^(?:(?:import|export)\b[^'"]*?\sfrom\s+|import\s+|declare\s+module\s+)'(@svc\/[\w-]+)|\bimport\('(@svc\/[\w-]+)/gm

const sourcesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'fixtures' ? [] : sourcesIn(file)
    return /(?<!\.test|\.testkit)\.ts$/.test(entry.name) ? [file] : []
  })

const subfolders = (root, folder) =>
  readdirSync(path.join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((one) => existsSync(path.join(root, one, 'package.json')))

const jsonIn = (root, file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
