import { capability } from '@svc/kernel'
import type { Document } from './document.ts'
import type { Lose, Settings } from './formats/format.ts'
import type { FormatName } from './formats/formats.ts'

export { type PictureReference, pictureReference } from './address.ts'
export { compileBody, compileLine } from './body/compile.ts'
export type { Body } from './body/template.ts'
export {
  type Composed,
  composeDocument,
  type DocumentParts,
  type LineParts,
  type PictureResolver,
} from './compose.ts'
export type {
  Align,
  Block,
  Document,
  Font,
  Inline,
  Layout,
  Line,
  List,
  ListItem,
  Picture,
  PictureNode,
  Table,
  TableCell,
  TableRow,
} from './document.ts'
export { PLAIN_LAYOUT } from './document.ts'
export { fontFamily } from './font.ts'
export { renderFailed } from './errors.ts'
export { documentName } from './document-name.ts'
export type { Lose, Settings } from './formats/format.ts'
export { FORMAT_FACTS, FORMAT_NAMES, type FormatFacts, type FormatName } from './formats/formats.ts'

/** Makes files of documents, beside the event loop. */
export interface Render {
  /**
   * The bytes of a file: the same document and settings give the same bytes. Throws RENDER_FAILED (422), which names the limit
   * that is passed, and UNAVAILABLE (503, with `Retry-After`) while too many are waiting. `lose` is told of pictures that the
   * format cannot read.
   */
  render(document: Document, format: FormatName, settings: Settings, lose?: Lose): Promise<Uint8Array>
}

/** The service of this name: templates and reports make their files by it. */
export const RenderCapability = capability<Render>('render')
