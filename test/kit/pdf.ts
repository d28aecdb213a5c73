import { Worker } from 'node:worker_threads'

/** A page of a PDF: its text, with its ends of lines, and its size in points. */
export interface PdfPage {
  readonly text: string
  readonly width: number
  readonly height: number
}

/** A PDF as a reader shows it, and what the reader warns of. */
export interface ReadPdf {
  readonly pages: readonly PdfPage[]
  readonly warnings: readonly string[]
}

type Answer = { readonly number: number } & (ReadPdf | { readonly error: Error })

let thread: Worker | undefined
let asked = 0
const waiting = new Map<number, (answer: Answer) => void>()

/** Reads a PDF; throws what its reader throws at what is none. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  thread ??= startThread()
  const number = (asked += 1)
  const answered = new Promise<Answer>((resolve) => waiting.set(number, resolve))
  thread.postMessage({ number, bytes: Uint8Array.from(bytes) })
  const answer = await answered
  if ('error' in answer) throw answer.error
  return answer
}

/** The pages of a PDF. */
export const pagesOf = async (bytes: Uint8Array): Promise<readonly PdfPage[]> => (await readPdf(bytes)).pages

/** The text of each page of a PDF, on one line. */
export const linesOf = async (bytes: Uint8Array): Promise<readonly string[]> =>
  (await pagesOf(bytes)).map(({ text }) => text.replaceAll(/\s+/g, ' '))

/** The thread that reads; it keeps no process alive. */
function startThread(): Worker {
  const started = new Worker(new URL('pdf-reader.js', import.meta.url))
  started.unref()
  started.on('message', (answer: Answer) => {
    waiting.get(answer.number)?.(answer)
    waiting.delete(answer.number)
  })
  started.on('error', (error: Error) => {
    for (const [number, answer] of waiting) answer({ number, error })
    waiting.clear()
    thread = undefined
  })
  return started
}
