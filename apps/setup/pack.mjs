// Packs what others install: the program as `svc`, and what a plugin outside this repository is built against, which is
// the kernel and the contracts.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { BESIDE, bundleModule } from './bundle.mjs'

/** Writes a tarball of each package into a folder, `packed` unless another is named; answers their paths, `svc` first. */
export async function pack(root, [folder = path.join(root, 'packed')] = []) {
  const stage = mkdtempSync(path.join(tmpdir(), 'svc-pack-'))
  try {
    const staged = [
      stageProgram(root, stage),
      stageKernel(root, stage),
      ...(await stageContracts(root, stage)),
    ]
    mkdirSync(folder, { recursive: true })
    return tarballs(staged, folder)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** The bundle, the example, and the packages that are installed beside it. */
function stageProgram(root, stage) {
  const server = manifestOf(root, 'apps/server')
  const to = place(root, stage, {
    ...identity({ ...server, name: 'svc' }),
    bin: server.bin,
    dependencies: Object.fromEntries(BESIDE.map((name) => [name, server.dependencies[name]])),
  })
  const from = path.join(root, 'apps/server')
  copy(path.join(from, 'dist'), path.join(to, 'dist'), (name) => /\.js(\.map)?$/.test(name))
  cpSync(path.join(from, 'dist/page'), path.join(to, 'dist/page'), { recursive: true })
  cpSync(path.join(from, 'examples'), path.join(to, 'examples'), { recursive: true })
  cpSync(path.join(root, 'README.md'), path.join(to, 'README.md'))
  writeFileSync(path.join(to, 'LICENSES-OF-OTHERS.txt'), licenses(root, path.join(from, 'dist')))
  return to
}

function stageKernel(root, stage) {
  const kernel = manifestOf(root, 'kernel')
  const { types, default: entry } = kernel.exports['.']
  const to = place(root, stage, {
    ...identity(kernel),
    exports: { '.': { types, default: entry } },
    dependencies: kernel.dependencies,
  })
  copy(path.join(root, 'kernel/dist'), path.join(to, 'dist'), (name) => /\.(js|d\.ts)$/.test(name))
  return to
}

/**
 * Contracts travel without what stands behind them: their code in one file, and the declarations that they reach. What
 * these name of other packages is installed with them.
 */
async function stageContracts(root, stage) {
  const plugins = readdirSync(path.join(root, 'plugins')).map((name) => `plugins/${name}`)
  const offering = plugins.filter((folder) => existsSync(path.join(root, folder, 'src/contract.ts')))
  return Promise.all(offering.map((folder) => stageContract(root, stage, folder)))
}

async function stageContract(root, stage, folder) {
  const manifest = manifestOf(root, folder)
  const from = path.join(root, folder)
  const { types, default: entry } = manifest.exports['./contract']
  const declared = declarationsFrom(path.join(from, types))
  const isOutside = (specifier) =>
    specifier.startsWith('@svc/') || declared.packages.has(packageOf(specifier))
  const to = path.join(stage, path.basename(folder))
  const { imports } = await bundleModule(
    root,
    { input: { contract: `${folder}/src/contract.ts` }, external: isOutside },
    { dir: path.dirname(path.join(to, entry)), codeSplitting: false },
  )
  const needed = new Set([...imports.filter(isOutside).map(packageOf), ...declared.packages])
  place(root, stage, {
    ...identity(manifest),
    exports: { './contract': { types, default: entry } },
    dependencies: Object.fromEntries([...needed].toSorted().map((name) => [name, versionOf(manifest, name)])),
  })
  for (const file of declared.files) cpSync(file, path.join(to, path.relative(from, file)))
  return to
}

/** A declaration file and all that it reaches in its package, and the other packages that these name. */
function declarationsFrom(entry) {
  const files = new Set()
  const packages = new Set()
  const visit = (file) => {
    if (files.has(file)) return
    files.add(file)
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(IMPORTED))
      if (specifier.startsWith('.'))
        visit(path.resolve(path.dirname(file), specifier).replace(/\.ts$/, '.d.ts'))
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier))
  }
  visit(entry)
  return { files, packages }
}

/** The specifier of `from '…'` and of `import("…")`. */
const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g

/** What every manifest says. */
const identity = ({ name, version, description, license, type, engines }) => ({
  name,
  version,
  description,
  license,
  type,
  engines,
})

/** Packages of this house carry one version. */
const versionOf = ({ version, dependencies }, name) =>
  name.startsWith('@svc/') ? version : dependencies[name]

/** `@scope/name` or `name` of a specifier. */
const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

/** A folder with a manifest and the licence. */
function place(root, stage, manifest) {
  const to = path.join(stage, path.basename(manifest.name))
  mkdirSync(to, { recursive: true })
  writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  cpSync(path.join(root, 'LICENSE'), path.join(to, 'LICENSE'))
  return to
}

function copy(from, to, isWanted) {
  for (const file of readdirSync(from, { recursive: true }))
    if (isWanted(file) && !file.startsWith(`types${path.sep}`))
      cpSync(path.join(from, file), path.join(to, file))
}

/** The licences of the packages inside the bundle, as most of them ask for. */
function licenses(root, dist) {
  const maps = readdirSync(dist).filter((name) => name.endsWith('.js.map'))
  const sources = maps.flatMap((name) => JSON.parse(readFileSync(path.join(dist, name), 'utf8')).sources)
  const inside = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
  const folders = new Set(sources.flatMap((source) => inside.exec(source) ?? []))
  return [...folders]
    .toSorted()
    .map((folder) => licenseOf(path.join(root, folder)))
    .join('\n')
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  const text =
    file === undefined ? `Licensed under ${license}.` : readFileSync(path.join(folder, file), 'utf8')
  return `## ${name} ${version}\n\n${text.trim()}\n`
}

function tarballs(staged, folder) {
  const args = ['pack', '--json', '--pack-destination', folder, ...staged]
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  return Object.values(JSON.parse(stdout)).map(({ filename }) => path.join(folder, filename))
}

const manifestOf = (root, folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
