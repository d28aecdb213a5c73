/** What is to be known of a format without making anything. */
export interface FormatFacts {
  readonly mediaType: string
  /** With its dot. */
  readonly extension: string
  /** Types of the pictures that it shows. */
  readonly pictures: ReadonlySet<string>
}

const RASTER = ['image/png', 'image/jpeg', 'image/gif']

const FACTS = {
  pdf: {
    mediaType: 'application/pdf',
    extension: '.pdf',
    pictures: new Set([...RASTER, 'image/webp', 'image/svg+xml']),
  },
  docx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    extension: '.docx',
    pictures: new Set([...RASTER, 'image/bmp']),
  },
  html: {
    mediaType: 'text/html',
    extension: '.html',
    pictures: new Set([...RASTER, 'image/webp', 'image/avif', 'image/svg+xml']),
  },
  // A file of its own has nowhere to take pictures from.
  markdown: { mediaType: 'text/markdown', extension: '.md', pictures: new Set() },
} satisfies Readonly<Record<string, FormatFacts>>

/** What a document may be made into. */
export type FormatName = keyof typeof FACTS

/** The formats by their names. */
export const FORMAT_FACTS: Readonly<Record<FormatName, FormatFacts>> = FACTS

export const FORMAT_NAMES = Object.keys(FACTS) as readonly FormatName[]
