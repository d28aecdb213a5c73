import type { toHast } from 'mdast-util-to-hast'
import type { toMarkdown } from 'mdast-util-to-markdown'

// The trees of the libraries. Their types stand in packages that hold nothing else, and are those of what takes and answers them.

/** A node of Markdown. */
export type MarkdownNode = Parameters<typeof toMarkdown>[0]

/** Nodes of Markdown of one type. */
export type MarkdownOf<T extends MarkdownNode['type']> = Extract<MarkdownNode, { type: T }>

/** A node of HTML. */
export type HtmlNode = ReturnType<typeof toHast>

export type HtmlRoot = Extract<HtmlNode, { type: 'root' }>

export type HtmlElement = Extract<HtmlNode, { type: 'element' }>

/** What may stand in an element. */
export type HtmlContent = HtmlElement['children'][number]
