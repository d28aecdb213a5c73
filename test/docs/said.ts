/**
 * What commands said, in as many of their last lines as a page shows, beside what it shows: lines, and what they mean where they
 * are JSON. The page may show a part of an object, and a space more.
 */
export const saidAndShown = (
  output: string,
  shown: string,
): { readonly said: readonly unknown[]; readonly shown: readonly unknown[] } => ({
  said: meanings(ending(output, shown)),
  shown: meanings(shown),
})

const ending = (output: string, shown: string): string =>
  output.trim().split('\n').slice(-shown.trim().split('\n').length).join('\n')

const meanings = (text: string): readonly unknown[] => text.trim().split('\n').map(meaning)

function meaning(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
