import { ExternalHyperlink, ImageRun, type IRunOptions, PageNumber, type ParagraphChild, TextRun } from 'docx'
import type { Document, Inline, Picture, PictureNode } from '../../document.ts'
import { pictureOf } from '../format.ts'
import { pixels } from './units.ts'

/** Where runs stand: `room` is the width in millimetres that there is. */
export interface Place {
  readonly document: Document
  readonly room: number
}

export const MONO = 'Courier New'

/** The runs of a line of text. */
export const inlineRuns = (
  nodes: readonly Inline[],
  place: Place,
  style: IRunOptions = {},
): readonly ParagraphChild[] => nodes.flatMap((node) => runsOf(node, place, style))

function runsOf(node: Inline, place: Place, style: IRunOptions): readonly ParagraphChild[] {
  switch (node.type) {
    case 'text':
      return [new TextRun({ ...style, text: node.value.replaceAll('\n', ' ') })]
    case 'inlineCode':
      return [new TextRun({ ...style, font: MONO, text: node.value.replaceAll('\n', ' ') })]
    case 'strong':
      return inlineRuns(node.children, place, { ...style, bold: true })
    case 'emphasis':
      return inlineRuns(node.children, place, { ...style, italics: true })
    case 'delete':
      return inlineRuns(node.children, place, { ...style, strike: true })
    case 'break':
      return [new TextRun({ ...style, break: 1 })]
    case 'link': {
      const children = inlineRuns(node.children, place, { ...style, style: 'Hyperlink' })
      return [new ExternalHyperlink({ link: node.url, children })]
    }
    case 'picture': {
      const run = pictureRun(node, place)
      return run ? [run] : [new TextRun({ ...style, text: node.alt })]
    }
    case 'page':
      return [new TextRun({ ...style, children: [PageNumber.CURRENT] })]
    case 'pages':
      return [new TextRun({ ...style, children: [PageNumber.TOTAL_PAGES] })]
    case 'markdown':
      return []
  }
}

/** A picture as it is wanted; undefined where it is not there, or nobody knows how high it is. */
export function pictureRun(node: PictureNode, { document, room }: Place): ParagraphChild | undefined {
  const picture = pictureOf(document, node)
  const shape = picture && shapeOf(picture)
  if (shape === undefined) return undefined
  const width = Math.min(node.width === null ? shape.width : pixels(node.width), pixels(room))
  return new ImageRun({
    type: shape.type,
    data: picture!.bytes,
    transformation: { width, height: Math.max(1, Math.round((width * shape.height) / shape.width)) },
    altText: { name: `picture ${node.number + 1}`, description: node.alt, title: '' },
  })
}

/** What is to be known of a picture to show it; undefined where nobody knows how large it is. */
export function shapeOf({ type: mediaType, width, height }: Picture) {
  const type = KINDS.get(mediaType)
  return type && width && height ? { type, width, height } : undefined
}

const KINDS: ReadonlyMap<string, 'png' | 'jpg' | 'gif' | 'bmp'> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/bmp', 'bmp'],
])
