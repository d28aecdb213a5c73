/** An element of a document, with the namespace that its name stands in; '' where it is in none. */
export interface SvgElement {
  readonly uri: string
  readonly local: string
  readonly attributes: readonly SvgAttribute[]
  readonly children: readonly SvgNode[]
}

/** An element, or text. */
export type SvgNode = SvgElement | string

export interface SvgAttribute {
  readonly uri: string
  readonly local: string
  readonly value: string
}

export const SVG = 'http://www.w3.org/2000/svg'
export const XLINK = 'http://www.w3.org/1999/xlink'
export const XML = 'http://www.w3.org/XML/1998/namespace'
export const XMLNS = 'http://www.w3.org/2000/xmlns/'
