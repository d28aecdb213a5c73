/** One import or re-export as it stands in a source file. */
export interface Import {
  readonly specifier: string
  /** Gone when the program runs. */
  readonly typeOnly: boolean
}

/** Statements start their line: the formatter sees to that. A dynamic import may stand anywhere. */
const STATEMENT =
  /^(?:import|export)\s+(type\s+)?(?:(?:\*(?:\s+as\s+\w+)?|\w+(?:\s*,\s*\{[^}]*\})?|\{[^}]*\})\s+from\s+)?'([^']+)'/gm
const DYNAMIC = /\bimport\('([^']+)'\)/g

/** The imports of a source file, re-exports included. */
export function importsOf(text: string): readonly Import[] {
  const stated = [...text.matchAll(STATEMENT)].map(([, type, specifier]) => ({
    specifier: specifier!,
    typeOnly: type !== undefined,
  }))
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, specifier]) => ({
    specifier: specifier!,
    typeOnly: false,
  }))
  return [...stated, ...dynamic]
}

const WORDS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/** A source without its comments and without the content of its strings; lines stay where they are. */
export function withoutWords(text: string): string {
  return text.replace(WORDS, (word) => {
    const lines = word.replace(/[^\n]/g, '')
    return word.startsWith('/') ? lines : `${word[0]}${lines}${word[0]}`
  })
}
