import { availableParallelism } from 'node:os'
import type { Close, Logger } from '@svc/kernel'
import type { z } from 'zod'
import type { config as schema } from './config.ts'
import type { Render } from './contract.ts'
import { hasPdfBinary } from './formats/pdf/binary.ts'
import { Pool } from './pool/pool.ts'

interface Setup {
  readonly config: z.output<typeof schema>
  readonly log: Logger
  onStop(release: Close): void
}

/** What one document may take, and how many may wait (C6.14). */
const DEADLINE_MS = 20_000
const QUEUE = 100

export function startRender({ config, log, onStop }: Setup): Render {
  if (!hasPdfBinary())
    log.warn(
      { event: 'render.no_pdf', platform: process.platform, arch: process.arch },
      'no document can be made a PDF: the native code for this platform is not installed; install the server again without leaving out optional packages',
    )
  const pool = new Pool({
    workers: config.workers ?? Math.max(1, Math.min(4, availableParallelism() - 1)),
    memory: config.memory_mb * 1024 * 1024,
    deadline: DEADLINE_MS,
    queue: QUEUE,
    failed: (fault) => log.error({ event: 'render.failed', fault }, 'a document could not be made'),
  })
  onStop(() => pool.close())
  return {
    async render(document, format, settings, lose) {
      const { bytes, lost } = await pool.make({ document, format, settings })
      if (lose !== undefined) lost.forEach((number) => lose(number))
      return bytes
    },
  }
}
