import { strFromU8, unzipSync } from 'fflate'

/** The text of each page of a PDF, its pieces with spaces between. */
export async function pdfText(bytes: Buffer): Promise<readonly string[]> {
  // The reader looks for parts of a browser when it is loaded, for drawing alone.
  for (const name of ['DOMMatrix', 'Path2D', 'ImageData'])
    if (!(name in globalThis)) Object.assign(globalThis, { [name]: class {} })
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const loading = getDocument({ data: new Uint8Array(bytes), useSystemFonts: false, verbosity: 0 })
  const document = await loading.promise
  const pages: string[] = []
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent()
    pages.push(
      items
        .map((item) => ('str' in item ? item.str + (item.hasEOL ? ' ' : '') : ''))
        .join('')
        .replaceAll(/\s+/g, ' '),
    )
  }
  await loading.destroy()
  return pages
}

/** The files of a DOCX, by name. */
export const docxFiles = (bytes: Buffer): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(unzipSync(new Uint8Array(bytes))).map(([name, content]) => [name, strFromU8(content)]),
  )

/** The words of a DOCX, a line for each paragraph. */
export const docxText = (bytes: Buffer): string =>
  (docxFiles(bytes).get('word/document.xml') ?? '').replaceAll(/<\/w:p>/g, '\n').replaceAll(/<[^>]+>/g, '')
