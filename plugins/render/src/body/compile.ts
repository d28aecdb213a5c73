import { compileParts, type Vocabulary } from '@svc/expression/contract'
import { BodyFaults, some } from './faults.ts'
import { markTags } from './marked.ts'
import { parseMarkdown } from './parse.ts'
import { BODY_PIPES } from './pipes.ts'
import { PAGE_BREAK, readBody } from './read-body.ts'
import { rolesOf } from './roles.ts'
import type { Body } from './template.ts'

/** Words that mean something in bodies. */
const BODY_MARKS: ReadonlySet<string> = new Set([PAGE_BREAK])

/**
 * Reads the body of a document: CommonMark with tables, strikethrough and task lists, in which the tags of the text language
 * stand. It is parsed here, once: what values hold is never Markdown. Throws ExpressionError with everything that is wrong
 * with it in this place.
 */
export function compileBody(source: string, vocabulary: Vocabulary): Body {
  const { children, expressions, warnings, faults } = read(source, vocabulary, BODY_MARKS)
  faults.assertNone()
  return Object.freeze({ source, children, expressions, warnings: some([...warnings, ...faults.warnings]) })
}

/** Words that mean something in the lines at the top and the foot of pages. */
const LINE_MARKS: ReadonlySet<string> = new Set(['page', 'pages'])

/** Reads one line of Markdown, in which `{page}` and `{pages}` stand for the number of the page and of all. */
export function compileLine(source: string, vocabulary: Vocabulary): Body {
  const { children, expressions, warnings, faults } = read(source, vocabulary, LINE_MARKS)
  const [paragraph, ...others] = children
  const isLine =
    paragraph === undefined || (paragraph.kind === 'element' && paragraph.element.type === 'paragraph')
  if (!isLine || others.length > 0)
    faults.error(undefined, 'this is one line of text', 'leave out headings, lists and tables')
  faults.assertNone()
  return Object.freeze({
    source,
    children: paragraph?.kind === 'element' ? paragraph.children : [],
    expressions,
    warnings: [...warnings, ...faults.warnings],
  })
}

function read(source: string, vocabulary: Vocabulary, marks: ReadonlySet<string>) {
  const { parts, expressions, warnings } = compileParts(source, vocabulary, BODY_PIPES, marks)
  const marked = markTags(source)
  const faults = new BodyFaults(marked)
  const text = { source, marked, roles: rolesOf(parts, marked.tags) }
  return { children: readBody(parseMarkdown(marked.text), text, faults), expressions, warnings, faults }
}
