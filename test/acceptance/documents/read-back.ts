import { strFromU8, unzipSync } from 'fflate'

/** The files of a DOCX, by name. */
export const docxFiles = (bytes: Buffer): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(unzipSync(new Uint8Array(bytes))).map(([name, content]) => [name, strFromU8(content)]),
  )

/** The words of a DOCX, a line for each paragraph. */
export const docxText = (bytes: Buffer): string =>
  (docxFiles(bytes).get('word/document.xml') ?? '').replaceAll(/<\/w:p>/g, '\n').replaceAll(/<[^>]+>/g, '')
