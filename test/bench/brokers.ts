import { connect } from 'amqplib'
import { connectAsync } from 'mqtt'
import { startMosquitto, startRabbit } from '../kit/brokers.ts'
import {
  createAdmin,
  createFolder,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import type { Databases } from './databases.ts'
import { cpuOf } from './processor.ts'

const MESSAGES = 3000
const SENSORS = 100
const GOALS = { amqp: 500, mqtt: 300 }
const PLACE = 'readings'

const definitionOf = (type: 'amqp' | 'mqtt') =>
  JSON.stringify({
    domain: {
      name: 'plant',
      version: '1',
      resources: { Reading: { object: { sensor: { type: 'string', unique: true }, value: 'integer' } } },
      integrations: {
        bus: {
          type,
          url: '${SVC_DOMAIN_BUS}',
          operations: {
            take: {
              direction: 'consume',
              ...(type === 'amqp' ? { queue: PLACE, declare: true, prefetch: 50 } : { topic: PLACE }),
              write: {
                resource: 'Reading',
                match: 'sensor',
                mapping: { sensor: '$message.sensor', value: '$message.value' },
              },
            },
          },
        },
      },
    },
  })

/** Measures how many messages of brokers take effect a second, each an upsert, one after the other; prints it. */
export async function measureBrokers(open: (folder: TestFolder) => Promise<Databases>): Promise<void> {
  console.log(`messages of brokers, ${MESSAGES} of them, one upsert each, in order`)
  for (const type of ['amqp', 'mqtt'] as const) {
    const { perSecond, cpuUs } = await rateOf(type, open)
    console.log(
      `  ${type}: ${perSecond.toFixed(0)} a second (goal ${GOALS[type]}), processor ${cpuUs.toFixed(0)} µs a message`,
    )
  }
}

async function rateOf(
  type: 'amqp' | 'mqtt',
  open: (folder: TestFolder) => Promise<Databases>,
): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
  const broker = await (type === 'amqp' ? startRabbit() : startMosquitto())
  const folder = createFolder()
  const databases = await open(folder)
  const sections = {
    ...databases.config,
    outbound: { allow_private: ['127.0.0.1'] },
    management: { socket: false },
  }
  const config = folder.write(testConfig(sections), `${type}.json`)
  const env = { SVC_DOMAIN_BUS: broker.url }
  const password = await createAdmin(config, { env })
  const server = await startServer(config, { env })
  let publisher: Publisher | undefined
  try {
    const token = await signIn(server.request, password)
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await server.request(method, path, { token, ...(body && { body }) })
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
      return answer.body.data
    }
    await ask('POST', '/api/v1/domains', { content: definitionOf(type) })
    const health = '/api/v1/plant/integrations/bus/health'
    while (!(await ask('GET', health)).connected) await new Promise((resolve) => setTimeout(resolve, 100))
    const { publish } = (publisher = await publisherOf(type, broker.url))
    const valueOf = async (sensor: string) =>
      (await ask('GET', `/api/v1/plant/readings?filter[sensor]=${sensor}`)).items[0]?.value
    const round = async (count: number, last: string) => {
      const cpu = cpuOf(server.pid)
      const began = performance.now()
      for (let value = 1; value <= count; value += 1)
        publish(JSON.stringify({ sensor: `s${value % SENSORS}`, value }))
      publish(JSON.stringify({ sensor: last, value: count }))
      while ((await valueOf(last)) !== count) await new Promise((resolve) => setTimeout(resolve, 20))
      const seconds = (performance.now() - began) / 1000
      return { perSecond: (count + 1) / seconds, cpuUs: (cpuOf(server.pid) - cpu) / (count + 1) }
    }
    await round(300, 'warm')
    const seen = await round(MESSAGES, 'end')
    for (const at of [1, 50, SENSORS - 1]) {
      const wanted = MESSAGES - SENSORS + at
      if ((await valueOf(`s${at}`)) !== wanted) throw new Error('a message was overtaken')
    }
    return seen
  } finally {
    server.kill('SIGKILL')
    await publisher?.close()
    await databases.close()
    folder.remove()
    await broker.stop()
  }
}

/** What publishes to the place that is consumed; left open, it would look for its broker for ever. */
interface Publisher {
  publish(text: string): void
  close(): Promise<void>
}

async function publisherOf(type: 'amqp' | 'mqtt', url: string): Promise<Publisher> {
  if (type === 'amqp') {
    const model = await connect(url)
    model.on('error', () => undefined)
    const channel = await model.createChannel()
    return {
      publish: (text) => void channel.sendToQueue(PLACE, Buffer.from(text), { persistent: true }),
      close: () => model.close(),
    }
  }
  const client = await connectAsync(url, { protocolVersion: 5 })
  client.on('error', () => undefined)
  return {
    publish: (text) => void client.publish(PLACE, text, { qos: 1 }),
    close: () => client.endAsync(true),
  }
}
