import {
  AlignmentType,
  Document as WordDocument,
  Footer,
  Header,
  type ISectionOptions,
  Packer,
  PageOrientation,
  Paragraph,
  type ParagraphChild,
  Tab,
  TabStopType,
  TextRun,
} from 'docx'
import type { Document, Layout, Line } from '../../document.ts'
import type { Renderer } from '../format.ts'
import { pageSize } from '../sizes.ts'
import { Flow } from './flow.ts'
import { inlineRuns, pictureRun, shapeOf } from './inline.ts'
import { settledArchive } from './archive.ts'
import { twips } from './units.ts'

/** A text document of WordprocessingML (ISO/IEC 29500). */
export const renderDocx: Renderer = async (document, { title, language, layout }, lose) => {
  const room = roomIn(layout)
  const flow = new Flow({ document, room })
  const children = [...logoOf(document, layout, room), ...flow.blocks(document.children)]
  const word = new WordDocument({
    title,
    creator: '',
    lastModifiedBy: '',
    description: '',
    styles: {
      default: {
        document: {
          run: {
            font: layout.font?.family ?? 'Times New Roman',
            size: Math.round(layout.fontSize * 2),
            language: { value: language },
          },
          paragraph: { spacing: { after: 120 } },
        },
      },
    },
    numbering: { config: flow.numbering },
    sections: [sectionOf(document, layout, room, children)],
  })
  for (const [number, picture] of document.pictures.entries())
    if (picture !== undefined && shapeOf(picture) === undefined) lose?.(number)
  return settledArchive(await Packer.toBuffer(word))
}

/** The width that is left between the margins, in millimetres. */
const roomIn = (layout: Layout): number =>
  Math.max(10, pageSize(layout).width - layout.margins.left - layout.margins.right)

function sectionOf(
  document: Document,
  layout: Layout,
  room: number,
  children: ISectionOptions['children'],
): ISectionOptions {
  const { margins } = layout
  // The library turns the sides of a page that lies by itself.
  const { width, height } = pageSize({ ...layout, orientation: 'portrait' })
  const header = document.header && lineParagraph(document.header, document, room)
  const footer = document.footer && lineParagraph(document.footer, document, room)
  return {
    properties: {
      page: {
        size: {
          width: twips(width),
          height: twips(height),
          orientation:
            layout.orientation === 'portrait' ? PageOrientation.PORTRAIT : PageOrientation.LANDSCAPE,
        },
        margin: {
          top: twips(margins.top),
          right: twips(margins.right),
          bottom: twips(margins.bottom),
          left: twips(margins.left),
        },
      },
    },
    ...(header && { headers: { default: new Header({ children: [header] }) } }),
    ...(footer && { footers: { default: new Footer({ children: [footer] }) } }),
    children,
  }
}

/** Left, center and right of one line, with tabs between them. */
function lineParagraph({ left, center, right }: Line, document: Document, room: number): Paragraph {
  const tab = (): ParagraphChild => new TextRun({ children: [new Tab()] })
  const runs = (side: Line['left']) => inlineRuns(side, { document, room })
  return new Paragraph({
    tabStops: [
      { type: TabStopType.CENTER, position: twips(room / 2) },
      { type: TabStopType.RIGHT, position: twips(room) },
    ],
    children: [...runs(left), tab(), ...runs(center), tab(), ...runs(right)],
  })
}

function logoOf(document: Document, { logo }: Layout, room: number): readonly Paragraph[] {
  if (logo === undefined) return []
  const { number, width, position } = logo
  const run = pictureRun({ type: 'picture', number, width, alt: '' }, { document, room })
  return run ? [new Paragraph({ alignment: ALIGNMENTS[position], children: [run] })] : []
}

const ALIGNMENTS = {
  left: AlignmentType.LEFT,
  center: AlignmentType.CENTER,
  right: AlignmentType.RIGHT,
} as const
