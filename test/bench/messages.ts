import {
  createAdmin,
  type ServerProcess,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { type Sink, startSink } from '../kit/sink.ts'
import type { Databases } from './databases.ts'
import { residentMib } from './resident.ts'

const MESSAGES = 10_000
/** Records of one request. */
const BULK = 100

const definition = (url: string) => `
domain:
  name: shop
  version: '1'
  resources:
    Order: { object: { title: string }, permissions: { create: ['*'] } }
  rules:
    told:
      trigger: { resource: Order, on: create }
      condition: title != null
      action: log
      message: told
      notification: { channels: [{ type: webhook, url: '${url}' }], template: { body: '{title}' } }
`

/** Raises messages to a receiver on this machine, and prints how many leave in a second and what that costs in memory. */
export async function measureMessages(
  folder: TestFolder,
  open: (folder: TestFolder) => Promise<Databases>,
): Promise<void> {
  const databases = await open(folder)
  const sink = await startSink()
  const config = folder.write(
    testConfig({
      ...databases.config,
      outbound: { allow_private: ['127.0.0.1'] },
      domain: { domain_file: folder.write(definition(sink.url), 'messages.yaml') },
    }),
    'messages.json',
  )
  await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path }).catch(async (error: unknown) => {
    await sink.stop()
    await databases.close()
    throw error
  })
  try {
    await measure(server, sink)
  } finally {
    await server.stop()
    await sink.stop()
    await databases.close()
  }
}

async function measure({ request, pid }: ServerProcess, sink: Sink): Promise<void> {
  const before = residentMib(pid)
  const started = performance.now()
  const secondsSince = () => (performance.now() - started) / 1000
  for (let at = 0; at < MESSAGES; at += BULK) {
    const items = Array.from({ length: BULK }, (_, one) => ({ title: `order ${at + one}` }))
    const { status, body } = await request('POST', '/api/v1/shop/orders/bulk', { body: { items } })
    if (status >= 300) throw new Error(JSON.stringify(body))
  }
  const raised = secondsSince()
  while (sink.received.length < MESSAGES) await new Promise((resolve) => setTimeout(resolve, 20))
  const sent = secondsSince()
  console.log(
    `messages    ${MESSAGES} raised in ${raised.toFixed(1)} s, all of them sent after ${sent.toFixed(1)} s: ` +
      `${(MESSAGES / sent).toFixed(0)}/s, ${(residentMib(pid) - before).toFixed(0)} MiB more, ${sink.received.length - MESSAGES} twice`,
  )
}
