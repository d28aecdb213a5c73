import { describe, expect, it } from 'vitest'
import { SOURCES, type Source } from './sources.ts'

const MAX_LINES = 400
const MAX_TEST_LINES = 700
const DRAWERS = new Set(['utils', 'helpers', 'common', 'lib', 'types'])
/** The test runner reads two by their default export; the other describes a foreign package. */
const DEFAULT_EXPORTS = new Set([
  'test/kit/postgres.ts',
  'test/long/vitest.config.ts',
  'test/bench/autocannon.d.ts',
])
/** A function's parameters vary against its type here: no other type says that. */
const VARIANCE = new Set(['kernel/src/action.ts', 'kernel/src/bus.ts', 'kernel/src/plugin.ts'])

const OWN_PATH = 'test/architecture/style.test.ts'

const shipped = SOURCES.filter(({ isTest }) => !isTest)

/** `file:line text` of every line of `sources` that `pattern` is found in. */
function lines(
  sources: readonly Source[],
  pattern: RegExp,
  part: 'code' | 'text' = 'code',
): readonly string[] {
  return sources.flatMap((source) =>
    source[part]
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${source.path}:${at + 1} ${line.trim()}`] : [])),
  )
}

describe('files', () => {
  it(`have at most ${MAX_LINES} lines, and ${MAX_TEST_LINES} in tests`, () => {
    const long = SOURCES.filter(({ text, isTest }) => {
      return text.split('\n').length > (isTest ? MAX_TEST_LINES : MAX_LINES)
    })
    expect(long.map(({ path }) => path)).toEqual([])
  })

  it('lie in folders that say what is in them', () => {
    const folders = shipped.flatMap(({ path }) =>
      path
        .split('/')
        .slice(0, -1)
        .map((name) => ({ name, path })),
    )
    expect(folders.filter(({ name }) => DRAWERS.has(name))).toEqual([])
  })

  it('are named in kebab case', () => {
    const names = SOURCES.map(({ path }) => path.split('/').at(-1)!)
    expect(
      names.filter(
        (name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.test-d|\.testkit|\.d|\.config)?\.ts$/.test(name),
      ),
    ).toEqual([])
  })

  it('export by name', () => {
    const sources = SOURCES.filter(({ path }) => !DEFAULT_EXPORTS.has(path))
    expect(lines(sources, /^export default\b|\bas default\b/)).toEqual([])
  })
})

describe('code', () => {
  it('leaves no type open', () => {
    const sources = shipped.filter(({ path }) => !VARIANCE.has(path))
    expect(lines(sources, /(:|<|\||&|\bas|=>)\s*any\b(?!\s*[:(])|\bany\[\]|,\s*any\s*>/)).toEqual([])
  })

  it('does not silence the compiler', () => {
    expect(lines(shipped, /@ts-(ignore|nocheck|expect-error)/, 'text')).toEqual([])
  })

  it('asks a store what it can do, never what it is called', () => {
    const decision = /\bdialect\s*[!=]==?|[!=]==?\s*'(sqlite|postgres)'|case '(sqlite|postgres)':/
    expect(lines(shipped, decision, 'text')).toEqual([])
  })

  it('hands nothing to an evaluator', () => {
    expect(lines(shipped, /\beval\(|\bnew Function\(|['"](node:)?vm['"]/)).toEqual([])
    expect(lines(shipped, /from '(node:)?vm'/, 'text')).toEqual([])
  })
})

describe('tests', () => {
  const tests = SOURCES.filter(({ path }) => path.endsWith('.test.ts') && path !== OWN_PATH)

  it('run alone nowhere', () => {
    expect(lines(tests, /\b(it|test|describe)\.only\b/)).toEqual([])
  })

  it('are skipped for a stated reason only', () => {
    const skipped = tests.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at, all) => {
        const isSkip = /\b(it|test|describe)\.(skip|todo)(If)?\b|\.runIf\(/.test(line)
        const hasReason = /^\s*\/\//.test(all[at - 1] ?? '') || /\/\/ \S/.test(line)
        return isSkip && !hasReason ? [`${path}:${at + 1} ${line.trim()}`] : []
      }),
    )
    expect(skipped).toEqual([])
  })
})
