import { describe, expect, it } from 'vitest'
import { packagesIn, resolved, type Source } from './sources.ts'

/** What plugins from elsewhere have copies of: the kernel, and what contracts reach, by package. */
const COPIED = [...packagesIn('kernel'), ...packagesIn('plugins')].map(
  ({ folder, sources }) => [folder, reachOf(folder, sources)] as const,
)

/** Something at the top of a module that is written to while it runs. */
const KEEPING =
  /^(?:export )?(?:(?:const (?<kept>\w+)[^=\n]*=\s*new (?:WeakMap|WeakSet|Map|Set|AsyncLocalStorage)\b)|(?:let (?<changed>\w+)))/
/** A symbol that no other copy has. */
const OWN_SYMBOL = /^(?:export )?const \w+ = Symbol\(/m

describe.each(COPIED.filter(([, sources]) => sources.length > 0))('%s', (_, sources) => {
  it('shares among its copies what one function notes and another looks for', () => {
    expect(sources.flatMap(notedForOthers)).toEqual([])
  })

  it('has no symbol that only one copy of it knows', () => {
    expect(sources.filter(({ code }) => OWN_SYMBOL.test(code)).map(({ path }) => path)).toEqual([])
  })
})

/** The sources that what a package offers leads to, as the program runs. */
function reachOf(folder: string, sources: readonly Source[]): readonly Source[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const found = new Set<Source>()
  const visit = (path: string): void => {
    const source = byPath.get(path)
    if (source === undefined || found.has(source)) return
    found.add(source)
    for (const one of source.imports)
      if (!one.typeOnly && one.specifier.startsWith('.')) visit(resolved(source, one))
  }
  visit(`${folder}/src/${folder === 'kernel' ? 'index' : 'contract'}.ts`)
  return [...found]
}

/** `file: name` of what some of a module's functions read alone, and others write. */
function notedForOthers({ path, code }: Source): readonly string[] {
  const parts = code.split(/^(?=(?:export )?(?:async )?(?:function|const|class|let) )/m)
  return parts.flatMap((part) => {
    const { kept, changed } = KEEPING.exec(part)?.groups ?? {}
    const name = kept ?? changed
    if (name === undefined) return []
    const used = new RegExp(kept ? `(?<![.\\w])${name}\\.\\w` : `(?<![.\\w])${name}\\b`)
    const written = new RegExp(kept ? `\\b${name}\\.(?:set|add|run)\\(` : `\\b${name} [-+*/?|&]*=[^=]`)
    const using = parts.filter((one) => one !== part && used.test(one))
    const writing = using.filter((one) => written.test(one))
    return writing.length > 0 && writing.length < using.length ? [`${path}: ${name}`] : []
  })
}
