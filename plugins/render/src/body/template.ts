import type { EachPart, Expression, Fault, IfPart, ValuePart } from '@svc/expression/contract'
import type { Align } from '../document.ts'

// The tree of a body before it is filled.

/** A body, or a line of one, that was read, checked and compiled. */
export interface Body {
  readonly source: string
  readonly children: readonly BodyNode[]
  /** Everything that is evaluated when it is filled. */
  readonly expressions: readonly Expression[]
  readonly warnings: readonly Fault[]
}

export type BodyNode =
  | { readonly kind: 'element'; readonly element: Element; readonly children: readonly BodyNode[] }
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'value'; readonly part: ValuePart }
  | { readonly kind: 'mark'; readonly name: string }
  | {
      readonly kind: 'each'
      readonly part: EachPart
      readonly body: readonly BodyNode[]
      readonly otherwise: readonly BodyNode[]
    }
  /** `bodies` has one for each branch; the one behind them is for none. */
  | {
      readonly kind: 'if'
      readonly part: IfPart
      readonly bodies: readonly (readonly BodyNode[])[]
      readonly otherwise: readonly BodyNode[]
    }
  | {
      readonly kind: 'link'
      readonly address: readonly BodyNode[]
      readonly title: readonly BodyNode[]
      readonly children: readonly BodyNode[]
    }
  | { readonly kind: 'picture'; readonly address: readonly BodyNode[]; readonly alt: readonly BodyNode[] }
  /** Text alone, in which nothing is Markdown. */
  | { readonly kind: 'code'; readonly lang: string | null; readonly children: readonly BodyNode[] }
  | { readonly kind: 'inlineCode'; readonly children: readonly BodyNode[] }

/** What stands around others; its names are those of the document's nodes. */
export type Element =
  | { readonly type: 'paragraph' | 'blockquote' | 'thematicBreak' | 'tableRow' | 'tableCell' | 'break' }
  | { readonly type: 'emphasis' | 'strong' | 'delete' }
  | { readonly type: 'heading'; readonly depth: 1 | 2 | 3 | 4 | 5 | 6 }
  | {
      readonly type: 'list'
      readonly ordered: boolean
      readonly start: number | null
      readonly spread: boolean
    }
  | { readonly type: 'listItem'; readonly checked: boolean | null; readonly spread: boolean }
  | { readonly type: 'table'; readonly align: readonly Align[] }
