import {
  AlignmentType,
  BorderStyle,
  HeadingLevel,
  type INumberingOptions,
  type IParagraphOptions,
  LevelFormat,
  PageBreak,
  Paragraph,
  Table as WordTable,
  TableCell as WordCell,
  TableLayoutType,
  TableRow as WordRow,
  TextRun,
  WidthType,
} from 'docx'
import type { Align, Block, List, ListItem, Table, TableCell } from '../../document.ts'
import { inlineRuns, MONO, type Place } from './inline.ts'
import { twips } from './units.ts'

/** What stands around a block. */
interface Around {
  /** How far it is pushed in, in millimetres. */
  readonly indent: number
  /** How many lists it stands in. */
  readonly level: number
  /** What its first paragraph begins with. */
  readonly lead?: Pick<IParagraphOptions, 'numbering'> & { readonly text: string }
  readonly isQuoted: boolean
}

const STEP_MM = 7
/** Word knows no more. */
const MOST_LEVELS = 9

type Made = Paragraph | WordTable

/** Makes paragraphs and tables of blocks. */
export class Flow {
  readonly #place: Place
  readonly #config: INumberingOptions['config'][number][] = []

  constructor(place: Place) {
    this.#place = place
  }

  /** The lists that were met so far. */
  get numbering(): INumberingOptions['config'] {
    return this.#config
  }

  blocks(blocks: readonly Block[]): readonly Made[] {
    return this.#blocks(blocks, { indent: 0, level: 0, isQuoted: false })
  }

  #blocks(blocks: readonly Block[], around: Around): readonly Made[] {
    const { lead: _, ...others } = around
    return blocks.flatMap((block, at) => this.#block(block, at === 0 ? around : others))
  }

  #block(block: Block, around: Around): readonly Made[] {
    switch (block.type) {
      case 'paragraph':
        return [this.#paragraph(around, inlineRuns(block.children, this.#place))]
      case 'heading':
        return [
          this.#paragraph(around, inlineRuns(block.children, this.#place), {
            heading: HEADINGS[block.depth],
          }),
        ]
      case 'blockquote':
        return this.#blocks(block.children, { ...around, indent: around.indent + STEP_MM, isQuoted: true })
      case 'list':
        return this.#list(block, around)
      case 'table':
        // A table that nothing follows would be grown together with the next one.
        return [this.#table(block), new Paragraph({ spacing: { after: 0 } })]
      case 'code':
        return [this.#paragraph(around, codeRuns(block.value))]
      case 'thematicBreak':
        return [this.#paragraph(around, [], { thematicBreak: true })]
      case 'pageBreak':
        return [new Paragraph({ children: [new PageBreak()] })]
    }
  }

  #paragraph(
    { indent, lead, isQuoted }: Around,
    children: NonNullable<IParagraphOptions['children']>,
    options: IParagraphOptions = {},
  ): Paragraph {
    const mark = lead === undefined || lead.text === '' ? [] : [new TextRun(lead.text)]
    return new Paragraph({
      ...options,
      ...(lead?.numbering && { numbering: lead.numbering }),
      ...(lead === undefined && indent > 0 && { indent: { left: twips(indent) } }),
      ...(isQuoted && {
        border: { left: { style: BorderStyle.SINGLE, size: 12, space: 8, color: '999999' } },
      }),
      children: [...mark, ...children],
    })
  }

  #list(list: List, { lead: _, ...around }: Around): readonly Made[] {
    const reference = `list-${this.#config.length + 1}`
    const level = Math.min(around.level, MOST_LEVELS - 1)
    const indent = around.indent + STEP_MM
    this.#config.push({ reference, levels: [levelOf(list, level, indent)] })
    const inside = { ...around, indent, level: around.level + 1 }
    return list.children.flatMap((item) => {
      const lead = { numbering: { reference, level }, text: markOf(item) }
      return item.children.length === 0
        ? [this.#paragraph({ ...inside, lead }, [])]
        : this.#item(item, { ...inside, lead })
    })
  }

  /** An item that begins with no line of text has an empty one for its sign. */
  #item({ children }: ListItem, around: Around): readonly Made[] {
    const begins =
      children[0]?.type === 'paragraph' || children[0]?.type === 'heading' || children[0]?.type === 'code'
    if (begins) return this.#blocks(children, around)
    const { lead: _, ...others } = around
    return [this.#paragraph(around, []), ...this.#blocks(children, others)]
  }

  #table({ align, children: [head, ...rows] }: Table): WordTable {
    const columns = Math.max(1, align.length)
    const width = twips(this.#place.room / columns)
    const cells = (row: readonly TableCell[], isHead: boolean) =>
      Array.from({ length: columns }, (_, at) => this.#cell(row[at], align[at] ?? null, { width, isHead }))
    return new WordTable({
      width: { size: 100, type: WidthType.PERCENTAGE },
      layout: TableLayoutType.AUTOFIT,
      columnWidths: Array.from({ length: columns }, () => width),
      rows: [
        new WordRow({ tableHeader: true, children: cells(head?.children ?? [], true) }),
        ...rows.map((row) => new WordRow({ children: cells(row.children, false) })),
      ],
    })
  }

  #cell(
    cell: TableCell | undefined,
    align: Align,
    { width, isHead }: { readonly width: number; readonly isHead: boolean },
  ): WordCell {
    const children = inlineRuns(cell?.children ?? [], this.#place, isHead ? { bold: true } : {})
    return new WordCell({
      width: { size: width, type: WidthType.DXA },
      margins: { top: 40, bottom: 40, left: 80, right: 80 },
      children: [
        new Paragraph({
          spacing: { after: 0 },
          ...(align && { alignment: ALIGNMENTS[align] }),
          children,
        }),
      ],
    })
  }
}

const HEADINGS = {
  1: HeadingLevel.HEADING_1,
  2: HeadingLevel.HEADING_2,
  3: HeadingLevel.HEADING_3,
  4: HeadingLevel.HEADING_4,
  5: HeadingLevel.HEADING_5,
  6: HeadingLevel.HEADING_6,
} as const

const ALIGNMENTS = {
  left: AlignmentType.LEFT,
  center: AlignmentType.CENTER,
  right: AlignmentType.RIGHT,
} as const

const levelOf = ({ ordered, start }: List, level: number, indent: number) => ({
  level,
  format: ordered ? LevelFormat.DECIMAL : LevelFormat.BULLET,
  text: ordered ? `%${level + 1}.` : '•',
  alignment: AlignmentType.LEFT,
  start: start ?? 1,
  style: { paragraph: { indent: { left: twips(indent), hanging: twips(STEP_MM * 0.7) } } },
})

const markOf = ({ checked }: ListItem): string => (checked === null ? '' : checked ? '☑ ' : '☐ ')

const codeRuns = (text: string): readonly TextRun[] =>
  text.split('\n').map((line, at) => new TextRun({ font: MONO, text: line, ...(at > 0 && { break: 1 }) }))
