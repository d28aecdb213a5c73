import { ANIMATIONS, ELEMENTS, type Grammar, OF_XML, TEXT_ALONE } from './allowed.ts'
import { isPlainCss } from './css.ts'
import { SVG, type SvgAttribute, type SvgElement, type SvgNode, XLINK, XML } from './document.ts'
import type { LeftOut } from './left-out.ts'

/** Whether the root makes a document a picture. */
export const isPicture = ({ uri, local }: SvgElement): boolean =>
  local === 'svg' && (uri === SVG || uri === '')

/**
 * A new tree of what is known of the one that was read: every element and attribute of it is made by a name of the list
 * of those that may be. What is left out is counted. Trees are at most as deep as the parser lets them be.
 */
export function copyRoot(root: SvgElement, leftOut: LeftOut): SvgElement {
  // Without a namespace all of it counts as that of SVG.
  const namespaces = new Set([SVG, root.uri])
  return copyOf(root, 'svg', { namespaces, leftOut })
}

interface Copying {
  readonly namespaces: ReadonlySet<string>
  readonly leftOut: LeftOut
}

function copyOf(element: SvgElement, local: string, copying: Copying): SvgElement {
  const children = TEXT_ALONE.has(local)
    ? textAlone(element.children, copying)
    : copyAll(element.children, copying)
  return { uri: SVG, local, attributes: attributesOf(element.attributes, local, copying), children }
}

function copyAll(nodes: readonly SvgNode[], copying: Copying): readonly SvgNode[] {
  const made: SvgNode[] = []
  for (const node of nodes) {
    if (typeof node === 'string') {
      made.push(node)
      continue
    }
    const local = knownName(node, copying)
    if (local === undefined) copying.leftOut.add('element', node.local)
    else if (mayStand(node, local, copying)) made.push(copyOf(node, local, copying))
  }
  return made
}

/** The name of an element that is known; it is that of the list, and not the one that was read. */
function knownName({ uri, local }: SvgElement, { namespaces }: Copying): string | undefined {
  return namespaces.has(uri) && ELEMENTS.has(local) ? local : undefined
}

/** A style sheet goes as a whole, and so does an animation of what it may not change. */
function mayStand(element: SvgElement, local: string, copying: Copying): boolean {
  if (local === 'style' && !isPlainSheet(element)) {
    copying.leftOut.add('style sheet')
    return false
  }
  if (ANIMATIONS.has(local) && !animatesKnown(element, local)) {
    copying.leftOut.add('element', local)
    return false
  }
  return true
}

function isPlainSheet({ attributes, children }: SvgElement): boolean {
  const grammar = ELEMENTS.get('style')!.get('type')!
  const isOfCss = attributes.every(
    ({ uri, local, value }) => local !== 'type' || uri !== '' || grammar(value) !== undefined,
  )
  return isOfCss && isPlainCss(children.filter((child) => typeof child === 'string').join(''), 'sheet')
}

/** Whatever the namespace that it writes the attribute's name in: the value is what is animated. */
function animatesKnown({ attributes }: SvgElement, local: string): boolean {
  const grammar = ELEMENTS.get(local)!.get('attributeName')!
  return attributes.every(
    ({ local: name, value }) => name !== 'attributeName' || grammar(value) !== undefined,
  )
}

function textAlone(children: readonly SvgNode[], { leftOut }: Copying): readonly SvgNode[] {
  return children.filter((child) => {
    if (typeof child !== 'string') leftOut.add('element', child.local)
    return typeof child === 'string'
  })
}

function attributesOf(
  attributes: readonly SvgAttribute[],
  element: string,
  { leftOut }: Copying,
): readonly SvgAttribute[] {
  const kept: SvgAttribute[] = []
  for (const { uri, local, value } of attributes) {
    const read = grammarOf(uri, local, element)?.(value)
    if (read === undefined) leftOut.add('attribute', local)
    else kept.push({ uri, local, value: read })
  }
  return kept
}

/** Links of XLink hold what those of SVG itself hold. */
function grammarOf(uri: string, local: string, element: string): Grammar | undefined {
  const own = ELEMENTS.get(element)!
  if (uri === '') return own.get(local)
  if (uri === XML) return OF_XML.get(local)
  return uri === XLINK && local === 'href' ? own.get('href') : undefined
}
