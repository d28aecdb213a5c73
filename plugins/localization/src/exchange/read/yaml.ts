import { DefinitionError, readMap } from '@svc/domain/contract'
import { type ReadFile, type ReadText, Unreadable } from './read-file.ts'

/** Reads a file in the form of a locale file. Throws Unreadable. */
export async function readYaml(text: string): Promise<ReadFile> {
  const { root, lineOf } = mapIn(text)
  const { locale, ...roots } = root
  if (typeof locale !== 'string')
    throw new Unreadable("The file does not name its locale, as in 'locale: de'", lineOf(['locale']))
  const texts: ReadText[] = []
  gather(roots, [], texts, lineOf)
  return { format: 'yaml', locale, texts }
}

function mapIn(text: string): ReturnType<typeof readMap> {
  try {
    return readMap(text)
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    const [first] = error.problems
    throw new Unreadable(first?.message ?? error.message, first?.position?.line ?? 1)
  }
}

function gather(
  node: unknown,
  path: readonly string[],
  found: ReadText[],
  lineOf: ReturnType<typeof readMap>['lineOf'],
): void {
  if (typeof node === 'string' || node === null)
    return void found.push({ key: path.join('.'), text: node ?? '', line: lineOf(path) })
  if (typeof node !== 'object' || Array.isArray(node))
    throw new Unreadable(`'${path.join('.')}' must be text`, lineOf(path))
  for (const [step, inner] of Object.entries(node)) gather(inner, [...path, step], found, lineOf)
}
