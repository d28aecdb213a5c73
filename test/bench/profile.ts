import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: Frame
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}
interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

const TOP = 25

/** Prints where the time of a `.cpuprofile` in `folder` went: by part of the system, then by function. */
export function printProfile(folder: string): void {
  const name = readdirSync(folder).find((file) => file.endsWith('.cpuprofile'))
  if (name === undefined) throw new Error(`there is no profile in ${folder}`)
  const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile
  const times = selfTimes(profile)
  print('self time by part', sums(times, partOf))
  print('self time by function', sums(times, nameOf).slice(0, TOP))
  print('time with all that it calls, by function', inclusive(profile).slice(0, 2 * TOP))
  print('time by file, with what it calls of Node and of native code', byFile(profile).slice(0, 4 * TOP))
}

const nameOf = ({ functionName, url, lineNumber }: Frame): string =>
  `${functionName || '(anonymous)'} ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`

/** The share of samples that a function stands in, itself or below it; what it awaits is not below it. */
function inclusive({ nodes, samples, timeDeltas }: Profile): [string, number][] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const times = new Map<string, number>()
  let total = 0
  for (const [at, id] of samples.entries()) {
    if (byId.get(id)!.callFrame.functionName === '(idle)') continue
    total += timeDeltas[at]!
    const names = new Set<string>()
    for (let node: number | undefined = id; node !== undefined; node = parents.get(node)) {
      names.add(nameOf(byId.get(node)!.callFrame))
    }
    for (const name of names) times.set(name, (times.get(name) ?? 0) + timeDeltas[at]!)
  }
  return [...times]
    .map(([name, time]): [string, number] => [name, time / total])
    .sort(([, a], [, b]) => b - a)
}

/** What is not of a file of ours is charged to the file that called it. */
function byFile({ nodes, samples, timeDeltas }: Profile): [string, number][] {
  const sourceOf = sources()
  const files = new Map<number, string>()
  const walk = (id: number, caller: string): void => {
    const { callFrame, children = [] } = byId.get(id)!
    const file = callFrame.url.startsWith('file:') ? sourceOf(callFrame) : caller
    files.set(id, callFrame.functionName === '(garbage collector)' ? callFrame.functionName : file)
    for (const child of children) walk(child, file)
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  walk(nodes[0]!.id, '(none)')
  const times = new Map<string, number>()
  let total = 0
  for (const [at, id] of samples.entries()) {
    if (byId.get(id)!.callFrame.functionName === '(idle)') continue
    const file = files.get(id)!
    total += timeDeltas[at]!
    times.set(file, (times.get(file) ?? 0) + timeDeltas[at]!)
  }
  return [...times]
    .map(([file, time]): [string, number] => [file, time / total])
    .sort(([, a], [, b]) => b - a)
}

/** Finds the file that a place in a bundle was made of. */
function sources(): (frame: Frame) => string {
  const maps = new Map<string, SourceMap | undefined>()
  return ({ url, lineNumber, columnNumber }) => {
    const bundle = fileURLToPath(url)
    if (!maps.has(bundle)) {
      const map = `${bundle}.map`
      maps.set(bundle, existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, 'utf8'))) : undefined)
    }
    const entry = maps.get(bundle)?.findEntry(lineNumber, columnNumber)
    const source =
      entry && 'originalSource' in entry ? resolve(dirname(bundle), entry.originalSource) : bundle
    return relative(process.cwd(), source).replace(/.*(node_modules|dist)\//, '')
  }
}

/** Microseconds in each frame itself; waiting for work is left out. */
function selfTimes({ nodes, samples, timeDeltas }: Profile): ReadonlyMap<Frame, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map<Frame, number>()
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id)!
    if (frame.functionName === '(idle)') continue
    times.set(frame, (times.get(frame) ?? 0) + timeDeltas[at]!)
  }
  return times
}

function sums(times: ReadonlyMap<Frame, number>, key: (frame: Frame) => string): [string, number][] {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const parts = new Map<string, number>()
  for (const [frame, time] of times) parts.set(key(frame), (parts.get(key(frame)) ?? 0) + time / total)
  return [...parts].sort(([, a], [, b]) => b - a)
}

/** The package or plugin that a frame belongs to; native code and Node's own apart. */
function partOf({ url, functionName }: Frame): string {
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (dependency !== undefined) return dependency
  const own = /\/(kernel|plugins\/\w+|apps\/\w+)\/dist\/(?:(\w+)\/)?/.exec(url)
  if (own) return own[2] === undefined ? own[1]! : `${own[1]}/${own[2]}`
  if (url.startsWith('node:')) return 'node'
  return functionName.startsWith('(') ? functionName : 'native'
}

function print(title: string, rows: readonly [string, number][]): void {
  console.log(`\n${title}`)
  for (const [name, share] of rows)
    if (share >= 0.002) console.log(`  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`)
}
