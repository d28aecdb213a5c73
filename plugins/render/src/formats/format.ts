import type { Block, Document, Layout, Picture } from '../document.ts'

/** What is known of a file besides what stands in it. */
export interface Settings {
  readonly title: string
  /** A tag of BCP 47. */
  readonly language: string
  readonly isRightToLeft: boolean
  readonly layout: Layout
}

/** A document whose values in Markdown were read: nothing in it is `markdown` any more. */
export interface Settled extends Document {
  readonly children: readonly Block[]
}

/** Is told the number of a picture that is there and cannot be read: its text is shown. */
export type Lose = (number: number) => void

/** Makes the bytes of a file: the same of the same, at any time and in any place. */
export type Renderer = (
  document: Settled,
  settings: Settings,
  lose?: Lose,
) => Uint8Array | Promise<Uint8Array>

/** The picture that a node shows; undefined: its text stands for it. */
export const pictureOf = (
  { pictures }: Pick<Document, 'pictures'>,
  { number }: { readonly number: number },
): Picture | undefined => pictures[number]
