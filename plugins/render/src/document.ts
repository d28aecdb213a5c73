// The tree of a filled document: what every format is made of. It is plain data, so that it may go to another thread. Its
// names are those of mdast, so that what reads that reads this.

/** A filled document. */
export interface Document {
  readonly children: readonly Block[]
  /** One line each, where there is one. */
  readonly header?: Line | undefined
  readonly footer?: Line | undefined
  /** What `picture` nodes point at, by their number. */
  readonly pictures: readonly (Picture | undefined)[]
}

/** A line at the top or the foot of pages. */
export interface Line {
  readonly left: readonly Inline[]
  readonly center: readonly Inline[]
  readonly right: readonly Inline[]
}

/** The bytes of a picture; `width` and `height` are pixels as shown, null where nobody knows. */
export interface Picture {
  readonly bytes: Uint8Array
  /** Its media type, such as `image/png`. */
  readonly type: string
  readonly width: number | null
  readonly height: number | null
}

export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | {
      readonly type: 'heading'
      readonly depth: 1 | 2 | 3 | 4 | 5 | 6
      readonly children: readonly Inline[]
    }
  | { readonly type: 'blockquote'; readonly children: readonly Block[] }
  | List
  | { readonly type: 'code'; readonly lang: string | null; readonly value: string }
  | Table
  | { readonly type: 'thematicBreak' }
  | { readonly type: 'pageBreak' }

export interface List {
  readonly type: 'list'
  readonly ordered: boolean
  readonly start: number | null
  /** Whether its items stand apart. */
  readonly spread: boolean
  readonly children: readonly ListItem[]
}

export interface ListItem {
  readonly type: 'listItem'
  readonly checked: boolean | null
  readonly spread: boolean
  readonly children: readonly Block[]
}

export interface Table {
  readonly type: 'table'
  readonly align: readonly Align[]
  /** The first is the header. */
  readonly children: readonly TableRow[]
}

export type Align = 'left' | 'center' | 'right' | null

export interface TableRow {
  readonly type: 'tableRow'
  readonly children: readonly TableCell[]
}

export interface TableCell {
  readonly type: 'tableCell'
  readonly children: readonly Inline[]
}

export type Inline =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'emphasis' | 'strong' | 'delete'; readonly children: readonly Inline[] }
  | { readonly type: 'inlineCode'; readonly value: string }
  | { readonly type: 'break' }
  | {
      readonly type: 'link'
      /** http, https, mailto or tel. */
      readonly url: string
      readonly title: string | null
      readonly children: readonly Inline[]
    }
  | PictureNode
  /** A value that is Markdown itself: it is read where the file is made, beside all else. */
  | { readonly type: 'markdown'; readonly value: string }
  /** The number of the page, and how many there are: in headers and footers. */
  | { readonly type: 'page' | 'pages' }

export interface PictureNode {
  readonly type: 'picture'
  /** Its place among the document's pictures. */
  readonly number: number
  readonly alt: string
  /** Millimetres; null: as wide as it is, as far as there is room. */
  readonly width: number | null
}

/** Whatever stands in a document. */
export type DocumentNode = Block | ListItem | TableRow | TableCell | Inline

/** How pages look; for pdf and docx. Lengths are millimetres. */
export interface Layout {
  readonly pageSize: 'A3' | 'A4' | 'A5' | 'Letter' | 'Legal'
  readonly orientation: 'portrait' | 'landscape'
  readonly margins: {
    readonly top: number
    readonly right: number
    readonly bottom: number
    readonly left: number
  }
  /** A number among the document's pictures. */
  readonly logo?:
    | {
        readonly number: number
        readonly width: number
        readonly position: 'left' | 'center' | 'right'
      }
    | undefined
  /** The family's files; the built-in font unless said. */
  readonly font?: Font | undefined
  /** Points. */
  readonly fontSize: number
}

/** A family of fonts, by the bytes of its ttf or otf files; `family` is what these say (`fontFamily`). */
export interface Font {
  readonly family: string
  readonly regular: Uint8Array
  readonly bold?: Uint8Array | undefined
  readonly italic?: Uint8Array | undefined
  readonly boldItalic?: Uint8Array | undefined
}

/** What is in force where a template says nothing. */
export const PLAIN_LAYOUT: Layout = {
  pageSize: 'A4',
  orientation: 'portrait',
  margins: { top: 20, right: 20, bottom: 20, left: 20 },
  fontSize: 10,
}
