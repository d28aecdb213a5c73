import {
  type Expression,
  type LocalText,
  type Path,
  sealedIn,
  type Site,
  type Text,
} from '@svc/domain/contract'
import { children, type Node } from '@svc/expression/contract'
import type { TemplateData } from './data.ts'

/** Compiles what documents of a template are called: they are listed by that, and it is kept as it is. */
export function compileFilename(
  written: Text,
  path: Path,
  site: Site,
  data: TemplateData,
): LocalText | undefined {
  const filename = site.text(written, path, data.speech)
  const made = madeOf(filename?.expressions ?? [], data)
  const sealed = sealedIn(made, data.resource)
  if (sealed !== undefined)
    site.judgement(
      path,
      `'${sealed.name}' is encrypted, and documents are listed by their names, which are kept as they are`,
      'Make it of other fields',
    )
  return filename
}

/** Expressions, with those of the data that they name. */
function madeOf(expressions: readonly Expression[], { sources }: TemplateData): readonly Expression[] {
  const made = new Set(expressions)
  // A set that grows goes on over what is added to it.
  for (const { ast } of made) {
    const names = namesIn(ast)
    for (const source of sources)
      if (source.kind === 'computed' && names.has(source.name)) made.add(source.expression)
  }
  return [...made]
}

function namesIn(node: Node, found = new Set<string>()): ReadonlySet<string> {
  if (node.kind === 'name') found.add(node.name)
  for (const child of children(node)) namesIn(child, found)
  return found
}
