import { createAdmin, signIn, startServer, type TestFolder, testConfig } from '../kit/server-process.ts'
import type { Databases } from './databases.ts'

const ROWS = 1000
const ROUNDS = 21
/** What importing rows with one reference each may cost, as a multiple of the same rows without. */
const GOAL = 1.3

const DEFINITION = `
domain:
  name: shelf
  version: '1'
  resources:
    Thing:
      features: { import: true }
      object: { name: string, cover: media }
      permissions: { create: ['*'] }
`

/** Measures what it costs that imported rows refer to items of the media library. */
export async function measureMedia(
  folder: TestFolder,
  open: (folder: TestFolder) => Promise<Databases>,
  node: readonly string[] = [],
): Promise<void> {
  const databases = await open(folder)
  const sections = {
    ...databases.config,
    files: { root: `${folder.path}/media` },
    management: { socket: false },
  }
  const config = folder.write(testConfig(sections), 'media.json')
  const password = await createAdmin(config)
  const server = await startServer(config, { node })
  try {
    const token = await signIn(server.request, password)
    const send = async (path: string, body?: unknown): Promise<any> => {
      const answer = await server.request('POST', path, { token, ...(body !== undefined && { body }) })
      if (answer.status >= 300)
        throw new Error(
          `${path} was answered with ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`,
        )
      return answer.body.data
    }
    await send('/api/v1/domains', { content: DEFINITION })
    const items: string[] = []
    for (let at = 0; at < 10; at += 1) {
      const form = new FormData()
      form.append('file', new Blob([`text ${at}`], { type: 'text/plain' }), `${at}.txt`)
      const response = await fetch(
        `${server.url}/api/v1/shelf/media/upload?filename=${at}.txt&mime_type=text/plain`,
        {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body: form,
        },
      )
      const { data } = (await response.json()) as { data: { id: string } }
      items.push(data.id)
    }
    const rows = (isReferring: boolean) =>
      Array.from({ length: ROWS }, (_, at) => ({
        name: `thing ${at}`,
        ...(isReferring && { cover: items[at % items.length] }),
      }))
    const took: Record<'plain' | 'referring', number[]> = { plain: [], referring: [] }
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const kind of ['plain', 'referring'] as const) {
        const began = performance.now()
        const answer = await send('/api/v1/shelf/things/import', rows(kind === 'referring'))
        if (answer.created !== ROWS)
          throw new Error(`rows were not imported: ${JSON.stringify(answer).slice(0, 300)}`)
        // The first round warms.
        if (round > 0) took[kind].push(performance.now() - began)
      }
    const [plain, referring] = [median(took.plain), median(took.referring)]
    console.log(
      `media: ${ROWS} imported rows ${plain.toFixed(0)} ms, with one reference each ${referring.toFixed(0)} ms: ${(referring / plain).toFixed(2)} times (goal ${GOAL})`,
    )
  } finally {
    await server.stop()
    await databases.close()
  }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
