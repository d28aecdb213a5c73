import type { Element } from '../body/template.ts'
import type { Block, DocumentNode, Inline, ListItem, TableCell, TableRow } from '../document.ts'

/** Puts texts that follow each other together, and what is marked alike; what marks nothing goes. */
export function joined(inlines: readonly Inline[]): readonly Inline[] {
  const made: Inline[] = []
  // The children of what grew: they are put together once, however many there are.
  const grown = new Map<number, Inline[]>()
  for (const inline of inlines) {
    if (isEmpty(inline)) continue
    const at = made.length - 1
    const last = made[at]
    if (inline.type === 'text' && last?.type === 'text')
      made[at] = { type: 'text', value: last.value + inline.value }
    else if (isMarked(inline) && last && isMarked(last) && inline.type === last.type) {
      const children = grown.get(at) ?? [...last.children]
      for (const child of inline.children) children.push(child)
      grown.set(at, children)
    } else made.push(inline)
  }
  for (const [at, children] of grown) {
    const mark = made[at]
    if (mark && isMarked(mark)) made[at] = { type: mark.type, children: joined(children) }
  }
  return made
}

const isEmpty = (inline: Inline): boolean =>
  ((inline.type === 'text' || inline.type === 'inlineCode') && inline.value === '') ||
  ('children' in inline && inline.children.length === 0)

type Marked = Extract<Inline, { type: 'emphasis' | 'strong' | 'delete' }>

const isMarked = (inline: Inline): inline is Marked =>
  inline.type === 'emphasis' || inline.type === 'strong' || inline.type === 'delete'

/** Whether nothing is to be seen. */
export const isBlank = (inlines: readonly Inline[]): boolean =>
  inlines.every(
    (inline) =>
      inline.type === 'break' ||
      (inline.type === 'text' && /^[ \t\n]*$/.test(inline.value)) ||
      ('children' in inline && isBlank(inline.children)),
  )

/** A link around what it shows. */
export const linkOf = (url: string, title: string, children: readonly DocumentNode[]): Inline => ({
  type: 'link',
  url,
  title: title === '' ? null : title,
  children: joined(children as readonly Inline[]),
})

/**
 * What stands around nodes that were filled; undefined where nothing is left to show. A template has in each element what
 * belongs there, and filling does not change that.
 */
export function elementOf(element: Element, children: readonly DocumentNode[]): DocumentNode | undefined {
  switch (element.type) {
    case 'paragraph': {
      const inlines = joined(children as readonly Inline[])
      return isBlank(inlines) ? undefined : { type: 'paragraph', children: inlines }
    }
    case 'heading': {
      const inlines = joined(children as readonly Inline[])
      return isBlank(inlines) ? undefined : { ...element, children: inlines }
    }
    case 'emphasis':
    case 'strong':
    case 'delete':
    case 'tableCell':
      return { type: element.type, children: joined(children as readonly Inline[]) }
    case 'blockquote':
      return children.length === 0
        ? undefined
        : { type: 'blockquote', children: children as readonly Block[] }
    case 'list':
      return children.length === 0 ? undefined : { ...element, children: children as readonly ListItem[] }
    case 'listItem':
      return { ...element, children: children as readonly Block[] }
    case 'table':
      return { ...element, children: children as readonly TableRow[] }
    case 'tableRow':
      return { type: 'tableRow', children: children as readonly TableCell[] }
    case 'thematicBreak':
    case 'break':
      return { type: element.type }
  }
}
