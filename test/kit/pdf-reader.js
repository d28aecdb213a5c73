import { parentPort } from 'node:worker_threads'

// A thread that reads PDF files: the library lays functions of its own over the process's (JSON among them), which
// are many times slower and are there for good.

// It looks for parts of a browser when it is loaded, for drawing alone.
for (const name of ['DOMMatrix', 'Path2D', 'ImageData'])
  Object.defineProperty(globalThis, name, { value: class {} })
const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs')

let warnings = []
const warn = (...said) => void warnings.push(said.join(' '))
Object.assign(console, { log: warn, warn })

// One after the other, so that every warning belongs to its file.
let turn = Promise.resolve()
parentPort.on('message', ({ number, bytes }) => {
  turn = turn.then(async () => {
    warnings = []
    try {
      const pages = await read(bytes)
      parentPort.postMessage({ number, pages, warnings })
    } catch (error) {
      parentPort.postMessage({ number, error })
    }
  })
})

async function read(data) {
  const loading = getDocument({ data, useSystemFonts: false, verbosity: 1 })
  const document = await loading.promise
  const pages = []
  for (let at = 1; at <= document.numPages; at++) {
    const page = await document.getPage(at)
    const { items } = await page.getTextContent()
    const text = items.map(({ str = '', hasEOL }) => (hasEOL ? `${str}\n` : str)).join('')
    const { width, height } = page.getViewport({ scale: 1 })
    pages.push({ text, width: Math.round(width), height: Math.round(height) })
  }
  await loading.destroy()
  return pages
}
