import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Call, createKernel, definePlugin, type Host, Reply, until } from '@svc/kernel'
import { expect, onTestFinished, test } from 'vitest'
import { HttpServerCapability } from './contract.ts'
import { held } from './fixtures/start.ts'
import { rest } from './index.ts'

/** A server with a stream of ticks that never ends by itself, and an answer that comes when it is told to. */
async function startTicking() {
  const slow = held('slow', 'GET /slow')
  let open = 0
  async function* ticks() {
    open += 1
    try {
      for (;;) {
        yield new TextEncoder().encode('data: tick\n\n')
        await delay(20)
      }
    } finally {
      open -= 1
    }
  }
  const stream = (host: Host) => (_: unknown, call: Call) =>
    new Reply({
      content: {
        type: 'text/event-stream',
        body: ReadableStream.from(until([call.signal, host.stopping], ticks())),
      },
    })
  const ticker = definePlugin({
    name: 'ticker',
    phase: 'domain',
    setup: ({ actions, host }) =>
      actions.add(slow.action, {
        name: 'ticks',
        access: ['*'],
        routes: ['GET /ticks'],
        handle: stream(host),
      }),
  })
  const kernel = createKernel({ plugins: [rest, ticker], config: { rest: { port: 0 } } })
  await kernel.start()
  onTestFinished(() => kernel.stop())
  const url = kernel.get(HttpServerCapability).url()
  const listen = async (): Promise<IncomingMessage> => {
    const [response] = (await once(get(`${url}/ticks`), 'response')) as [IncomingMessage]
    await once(response, 'data')
    return response
  }
  return { kernel, url, slow, listen, open: () => open }
}

test('an open stream does not delay a stop, and ends as a whole answer does', async () => {
  const { kernel, listen, open } = await startTicking()
  const responses = await Promise.all([listen(), listen()])
  const ended = responses.map((response) => once(response.resume(), 'end'))
  const began = performance.now()
  await kernel.stop()
  expect(performance.now() - began).toBeLessThan(2000)
  await Promise.all(ended)
  expect(responses.every(({ complete }) => complete)).toBe(true)
  await expect.poll(open).toBe(0)
})

test('a stream ends where its client goes', async () => {
  const { listen, open } = await startTicking()
  const response = await listen()
  expect(open()).toBe(1)
  response.destroy()
  await expect.poll(open).toBe(0)
})

test('an answer that ends by itself is finished while the server stops', async () => {
  const { kernel, url, slow } = await startTicking()
  const answered = fetch(`${url}/slow`)
  const signal = await slow.begun
  const stopped = kernel.stop()
  expect([kernel.host.stopping.aborted, signal.aborted]).toEqual([true, false])
  slow.answer('whole')
  expect(await (await answered).json()).toMatchObject({ data: 'whole' })
  await stopped
})

test('nothing is stopping before a stop, and a start that fails is one', async () => {
  const { kernel } = await startTicking()
  expect(kernel.host.stopping.aborted).toBe(false)
  const failing = definePlugin({
    name: 'failing',
    phase: 'domain',
    setup: () => Promise.reject(new Error('no')),
  })
  const second = createKernel({ plugins: [failing] })
  await expect(second.start()).rejects.toThrow('no')
  expect(second.host.stopping.aborted).toBe(true)
})
