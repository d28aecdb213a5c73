import { performance } from 'node:perf_hooks'
import { type EvaluationContext, formatsOf } from '@svc/expression/contract'
import { createKernel } from '@svc/kernel'
import { render } from '@svc/render'
import {
  compileBody,
  composeDocument,
  FORMAT_FACTS,
  type FormatName,
  PLAIN_LAYOUT,
  type Render,
  RenderCapability,
} from '@svc/render/contract'

const ROUNDS = 11
const FORMATS: readonly FormatName[] = ['pdf', 'docx', 'html', 'markdown']

const SENTENCE = 'The quick brown fox jumps over the lazy dog, and Łódź lies east of it. '

const BODIES: Readonly<
  Record<string, { readonly body: string; readonly data: EvaluationContext['record'] }>
> = {
  'one page': {
    body: '# Order {number}\n\n{text}\n\n- {number}',
    data: { number: 7, text: SENTENCE.repeat(20) },
  },
  '20 pages of prose': {
    body: '# Order {number}\n\n{#each texts as text}\n{text}\n{/each}',
    data: { number: 7, texts: Array.from({ length: 160 }, () => SENTENCE.repeat(7)) },
  },
  '800 rows of a table': {
    body: "| Sku | Name | Price |\n| --- | --- | ---: |\n{#each lines}\n| {sku} | {name} | {price | money: 'EUR'} |\n{/each}",
    data: {
      lines: Array.from({ length: 800 }, (_, at) => ({
        sku: `A-${at}`,
        name: `A thing of number ${at}`,
        price: at * 1.5,
      })),
    },
  },
}

/** Makes documents one after the other by a worker that is warm, and prints the middle of how long each takes. */
export async function measureDocuments(): Promise<void> {
  const kernel = createKernel({ config: {}, plugins: [render] })
  await kernel.start()
  const service = kernel.get(RenderCapability)
  try {
    console.log(`documents (the middle of ${ROUNDS}, filling and making)`)
    for (const [name, { body, data }] of Object.entries(BODIES))
      for (const format of FORMATS) {
        const { middle, bytes } = await measured(service, { body, data, format })
        console.log(
          `  ${name.padEnd(20)} ${format.padEnd(9)} ${middle.toFixed(0)} ms, ${(bytes / 1024).toFixed(0)} KiB`,
        )
      }
  } finally {
    await kernel.stop()
  }
}

async function measured(
  service: Render,
  { body, data, format }: { body: string; data: EvaluationContext['record']; format: FormatName },
): Promise<{ readonly middle: number; readonly bytes: number }> {
  const template = compileBody(body, {
    fields: new Map(Object.keys(data ?? {}).map((name) => [name, 'unknown'])),
  })
  const formats = formatsOf({ locale: 'en', timezone: 'UTC', currency: 'GBP' })
  const settings = { title: 'A document', language: 'en', isRightToLeft: false, layout: PLAIN_LAYOUT }
  const times: number[] = []
  let bytes = 0
  for (let round = 0; round <= ROUNDS; round++) {
    const begun = performance.now()
    const { document } = await composeDocument(
      { body: template },
      { record: data, now: () => 0 },
      { formats },
      FORMAT_FACTS[format],
      async () => undefined,
    )
    bytes = (await service.render(document, format, settings)).length
    // The first one loads what it needs.
    if (round > 0) times.push(performance.now() - begun)
  }
  return { middle: times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0, bytes }
}
