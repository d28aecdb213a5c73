import { type Action, type Config, createKernel, type Inbound, silentLogger } from '@svc/kernel'
import { request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MetricsCapability } from './contract.ts'
import { metrics } from './index.ts'

const inbound: Inbound = {
  id: 'r',
  transport: 'test',
  remote: '',
  params: {},
  query: {},
  meta: () => undefined,
  signal: new AbortController().signal,
}

/** Starts the plugin on a free port, which the log names. */
async function start(config: Config = { port: 0 }) {
  const ports: number[] = []
  const log = {
    ...silentLogger,
    info: (fields: object) => void ('port' in fields && ports.push(Number(fields.port))),
    child: () => log,
  }
  const kernel = createKernel({ plugins: [metrics], config: { metrics: config }, log })
  await kernel.start()
  onTestFinished(() => kernel.stop())
  const call = (action: Partial<Action> & { name: string }) =>
    kernel.pipeline.run({ access: ['*'], handle: () => null, ...action }, inbound)
  return { kernel, call, port: ports[0] ?? 0 }
}

/** One request on a connection of its own. */
const send = (port: number, path: string, method = 'GET') =>
  new Promise<{ status: number | undefined; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      const sent = request({ port, path, method, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
      })
      sent.on('error', reject).end()
    },
  )

describe('metrics', () => {
  it('count and time the requests of each action', async () => {
    const { call, port } = await start()
    await call({ name: 'a.list' })
    await call({ name: 'a.list' })
    await call({ name: 'a.list', access: ['admin'] })
    const { status, headers, text } = await send(port, '/metrics')
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(text).toContain('svc_requests_total{action="a.list",status="200"} 2')
    expect(text).toContain('svc_requests_total{action="a.list",status="401"} 1')
    expect(text).toContain('svc_request_duration_seconds_count{action="a.list"} 3')
    expect(text).toContain('svc_request_duration_seconds_bucket{le="+Inf",action="a.list"} 3')
  })

  it('tell of the process too, each name once and well formed', async () => {
    const { text } = await send((await start()).port, '/metrics')
    expect(text).toMatch(/^svc_process_cpu_seconds_total \d/m)
    expect(text).toMatch(/^svc_nodejs_eventloop_lag_p99_seconds /m)
    const types = text.split('\n').filter((line) => line.startsWith('# TYPE'))
    expect(new Set(types).size).toBe(types.length)
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(samples.filter((line) => !/^svc_[a-z0-9_]+(\{.*\})? \S+$/.test(line))).toEqual([])
  })

  it('keep a bounded number of series, whatever names come', async () => {
    const { call, port } = await start()
    for (let i = 0; i < 2_010; i++) await call({ name: `svc.d${i}.r.list` })
    const { text } = await send(port, '/metrics')
    expect(text.match(/^svc_requests_total\{/gm)).toHaveLength(2_001)
    expect(text).toContain('svc_requests_total{action="other",status="200"} 10')
  })

  it('of one kernel leave out those of another', async () => {
    const first = await start()
    await first.call({ name: 'first' })
    const second = await start()
    expect((await send(second.port, '/metrics')).text).not.toContain('first')
  })
})

describe('metrics of plugins', () => {
  it('stand beside the others: what is counted, and what is read when somebody asks', async () => {
    const { kernel, port } = await start()
    const own = kernel.get(MetricsCapability)
    const letters = own.counter({ name: 'letters_total', help: 'Letters.', labels: ['to'] })
    let waiting = 3
    own.gauge({ name: 'letters_waiting', help: 'Letters that wait.', read: () => waiting })
    letters.add({ to: 'ann' })
    letters.add({ to: 'ann' })
    letters.add({ to: 'bob' })
    expect((await send(port, '/metrics')).text).toContain('svc_letters_waiting 3')
    waiting = 2
    const { text } = await send(port, '/metrics')
    expect(text).toContain('svc_letters_total{to="ann"} 2')
    expect(text).toContain('svc_letters_total{to="bob"} 1')
    expect(text).toContain('svc_letters_waiting 2')
  })

  it("that cannot be read are no number, and stand in nobody's way", async () => {
    const { kernel, port } = await start()
    const read = () => Promise.reject(new Error('out of reach'))
    kernel.get(MetricsCapability).gauge({ name: 'lost', help: 'Lost.', read })
    const { status, text } = await send(port, '/metrics')
    expect(status).toBe(200)
    expect(text).toContain('svc_lost Nan')
    expect(text).toContain('svc_process_cpu_seconds_total')
  })

  it('are taken and forgotten where metrics are off', async () => {
    const own = (await start({})).kernel.get(MetricsCapability)
    own.gauge({ name: 'one', help: 'One.', read: () => 1 })
    own.counter({ name: 'two_total', help: 'Two.' }).add()
  })
})

describe('the listener', () => {
  it('answers 404 elsewhere, and 405 to other methods', async () => {
    const { port } = await start()
    expect((await send(port, '/')).status).toBe(404)
    expect((await send(port, '/metrics/x')).status).toBe(404)
    expect(await send(port, '/metrics', 'POST')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    })
  })

  it('takes a query, and HEAD without a body', async () => {
    const { port } = await start()
    expect((await send(port, '/metrics?x=1')).status).toBe(200)
    const head = await send(port, '/metrics', 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0)
  })

  it('is gone when the server has stopped', async () => {
    const { kernel, port } = await start()
    await send(port, '/metrics')
    await kernel.stop()
    await expect(send(port, '/metrics')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('is not there unless a port is configured', async () => {
    expect((await start({})).port).toBe(0)
  })

  it('is not there in a process that serves nothing, which may stand beside the server', async () => {
    const { port } = await start()
    const kernel = createKernel({ plugins: [metrics], config: { metrics: { port } }, serves: false })
    await kernel.start()
    await kernel.stop()
  })

  it('names the port that is taken', async () => {
    const { port } = await start()
    await expect(start({ port })).rejects.toThrow(new RegExp(`metrics: cannot listen on 127.0.0.1:${port}`))
  })
})
