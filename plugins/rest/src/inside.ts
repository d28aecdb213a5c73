import { Readable } from 'node:stream'
import type { Inbound } from '@svc/kernel'
import type { App } from './app.ts'
import type { Message, Outgoing } from './message.ts'

/** A request that this process makes of itself, as if it had come from 127.0.0.1. */
export class InsideMessage implements Message {
  readonly method: string
  readonly target: string
  readonly meta: Inbound['meta']
  readonly peer = '127.0.0.1'
  readonly #request: Request

  constructor(request: Request) {
    this.#request = request
    this.method = request.method
    const { pathname, search } = new URL(request.url)
    this.target = `${pathname}${search}`
    this.meta = (name) => request.headers.get(name) ?? undefined
  }

  body(): Readable | undefined {
    const { body } = this.#request
    return body === null ? undefined : Readable.fromWeb(body)
  }

  onGone(listener: () => void): void {
    this.#request.signal.addEventListener('abort', listener, { once: true })
  }

  linger(): void {}
}

/** Has `app` answer a request of this process. */
export const answerInside = (app: App, request: Request): Promise<Response> =>
  new Promise((resolve) => {
    void app(new InsideMessage(request), (response) => resolve(asResponse(response)))
  })

function asResponse({ status, headers, body, onBroken }: Outgoing): Response {
  const pairs = headers.flatMap((name, at) =>
    at % 2 === 0 ? [[name, headers[at + 1]!] as [string, string]] : [],
  )
  return new Response(body instanceof ReadableStream ? watched(body, onBroken) : (body ?? null), {
    status,
    headers: pairs,
  })
}

/** Tells where `body` breaks off; whoever leaves early ends it. */
function watched(
  body: ReadableStream<Uint8Array>,
  onBroken: Outgoing['onBroken'],
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          onBroken?.(error)
          controller.error(error)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
