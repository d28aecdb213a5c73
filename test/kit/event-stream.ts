import { HttpServerCapability } from '@svc/rest/contract'
import type { TestKernel } from './test-kernel.ts'

/** One event of a stream, as the HTML standard reads it. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: any
}

/** A stream that is followed. */
export interface FollowedStream {
  readonly status: number
  readonly headers: Headers
  /** What came so far, the stream's own events among it. */
  readonly events: readonly StreamEvent[]
  /** Those that tell of records. */
  readonly told: readonly StreamEvent[]
  /** Everything that came, as it came. */
  readonly text: () => string
  readonly isOver: () => boolean
  close(): Promise<void>
}

const OWN = new Set(['ready', 'reset', 'end'])

/** Follows the live stream of a server in this process. */
export async function follow(
  { kernel }: Pick<TestKernel, 'kernel'>,
  path: string,
  { token, headers = {} }: { readonly token?: string; readonly headers?: Record<string, string> } = {},
): Promise<FollowedStream> {
  const http = kernel.get(HttpServerCapability)
  const sent = { accept: 'text/event-stream', ...(token && { authorization: `Bearer ${token}` }), ...headers }
  const response = await http.fetch(new Request(new URL(path, http.url()), { headers: sent }))
  const events: StreamEvent[] = []
  let text = ''
  let rest = ''
  let isOver = false
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += value
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) take(block, events)
    }
  }
  const reading = read()
    .catch(() => undefined)
    .finally(() => (isOver = true))
  return {
    status: response.status,
    headers: response.headers,
    events,
    get told() {
      return events.filter(({ event }) => !OWN.has(event))
    },
    text: () => text,
    isOver: () => isOver,
    async close() {
      await reader.cancel()
      await reading
    },
  }
}

function take(block: string, events: StreamEvent[]): void {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const at = line.indexOf(':')
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).trimStart())
  }
  const data = fields.get('data')
  if (data !== undefined)
    events.push({ id: fields.get('id'), event: fields.get('event') ?? 'message', data: JSON.parse(data) })
}
