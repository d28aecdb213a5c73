import { describe, expect, it } from 'vitest'
import { importsOf, withoutWords } from './scan.ts'

describe('importsOf', () => {
  it('finds every form of an import and of a re-export', () => {
    const text = [
      "import 'a'",
      "import b from 'b'",
      "import * as c from 'c'",
      "import {\n  one,\n  type Two,\n} from 'd'",
      "import type { E } from 'e'",
      "export * from 'f'",
      "export { g } from 'g'",
      "const h = await import('h')",
    ].join('\n')
    expect(importsOf(text).map(({ specifier }) => specifier)).toEqual([...'abcdefgh'])
    expect(importsOf(text).filter(({ typeOnly }) => typeOnly)).toEqual([{ specifier: 'e', typeOnly: true }])
  })

  it('takes neither comments nor values for imports', () => {
    expect(importsOf("/** Taken from 'x'. */\nexport const from = 'y'\n")).toEqual([])
  })
})

describe('withoutWords', () => {
  it('leaves the code and its lines', () => {
    expect(withoutWords("a // any\nb('any') /* any\nany */ c")).toBe("a \nb('') \n c")
  })
})
