import { madeOf, type Path, sealedIn, type Site, type Speech } from '@svc/domain/contract'
import type { Tag } from '../schedule.ts'

/** Compiles the tag of a deed; `otherwise` is what it is where none is written: undefined stands for the planned moment. */
export function compileTag(
  written: string | undefined,
  otherwise: string | undefined,
  path: Path,
  site: Site,
  speech: Speech,
): Tag | undefined {
  if (written === undefined) return { written, expressions: [], made: 'unknown', of: () => otherwise }
  const text = site.text(written, path, speech)
  if (text === undefined) return undefined
  const { expressions } = text
  const sealed = sealedIn(expressions, speech.resource)
  if (sealed !== undefined)
    site.judgement(
      path,
      `'${sealed.name}' is encrypted, and firings are found by their tags, which are kept as they are`,
      'Make it of other fields',
    )
  return {
    written,
    expressions,
    made: madeOf(expressions, speech.resource),
    of: (context) => text.fill(context),
  }
}
