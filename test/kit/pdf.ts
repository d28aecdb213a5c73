/** A page of a PDF: its text, and its size in points. */
export interface PdfPage {
  readonly text: string
  readonly width: number
  readonly height: number
}

/** The pages of a PDF, as a reader shows them. */
export async function pagesOf(bytes: Uint8Array): Promise<readonly PdfPage[]> {
  const { getDocument } = await reader()
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 })
  const document = await loading.promise
  const pages: PdfPage[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('')
    const { width, height } = page.getViewport({ scale: 1 })
    pages.push({ text, width: Math.round(width), height: Math.round(height) })
  }
  await loading.destroy()
  return pages
}

/** The reader looks for parts of a browser when it is loaded, for drawing alone. */
async function reader() {
  for (const name of ['DOMMatrix', 'Path2D', 'ImageData'])
    if (!(name in globalThis)) Object.assign(globalThis, { [name]: class {} })
  return import('pdfjs-dist/legacy/build/pdf.mjs')
}
