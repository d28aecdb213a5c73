import type { Renderer } from '../formats/format.ts'
import type { FormatName } from '../formats/formats.ts'
import { settle } from '../formats/settle.ts'
import type { Job, Made, Report } from './protocol.ts'

// A process that makes files, one at a time: what it needs for a format is loaded with the first file of that.

const RENDERERS: Readonly<Record<FormatName, () => Promise<Renderer>>> = {
  html: async () => (await import('../formats/html.ts')).renderHtml,
  markdown: async () => (await import('../formats/markdown.ts')).renderMarkdown,
  pdf: async () => (await import('../formats/pdf/pdf.ts')).renderPdf,
  docx: async () => (await import('../formats/docx/docx.ts')).renderDocx,
}

async function made({ format, document, settings }: Job): Promise<Made> {
  const render = await RENDERERS[format]()
  const lost: number[] = []
  const bytes = await render(settle(document), settings, (number) => void lost.push(number))
  return { bytes, lost }
}

process.on('message', (job: Job) => {
  made(job).then(
    (file) => report({ ...file, held: process.memoryUsage.rss() }),
    (error: unknown) =>
      report({
        fault: error instanceof Error ? (error.stack ?? error.message) : String(error),
        held: process.memoryUsage.rss(),
      }),
  )
})

const report = (one: Report): void => void process.send?.(one)

// Whoever ends the server ends it by name; the server ends this.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
