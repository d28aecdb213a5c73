import { type Door, evaluationOfFacts, type Model } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Operation } from '../operation.ts'
import { showsTo } from '../mapping/shows.ts'
import type { RetryPolicy } from '../policies.ts'
import { shownHeaders } from '../wire/headers.ts'
import type { Message } from '../wire/message.ts'
import type { Writing } from '../write/writing.ts'

/** What becomes of messages, as an operation: nothing is sent, and what came is written. */
export const inboundOperation = (
  name: string,
  writing: Writing,
  retry: RetryPolicy | undefined,
  execute: Door,
  model: Model,
): Operation => ({
  name,
  direction: 'inbound',
  description: undefined,
  resource: undefined,
  input: [],
  manual: true,
  triggers: [],
  schedules: [],
  execute,
  expressions: writing.expressions,
  readsRecord: false,
  isRead: false,
  isRepeatable: true,
  retry,
  timeoutMs: 0,
  writing,
  answered: () => ({}),
  async preview({ facts, finds, reader }, seer) {
    const context = await evaluationOfFacts(facts, writing.expressions, reader)
    const shows = await showsTo(seer, facts, writing.expressions, model, reader, context)
    return { written: await writing.preview({ ...context, key: undefined }, finds, shows) }
  },
  async build({ facts: { variables = {} } }) {
    const value = variables['payload'] ?? null
    const message: Message = { method: 'POST', url: '', headers: {}, body: { value, text: '' } }
    return { message, shown: { method: 'POST', url: '', headers: {}, body: value } }
  },
  attempt: () =>
    Promise.resolve({ status: null, headers: {}, response: null, durationMs: 0, failure: undefined }),
})

/** What is known of a message, as mappings name it. */
export const messageVariables = (payload: Value, headers: Readonly<Record<string, string>>): Row => ({
  payload,
  // Of what a broker delivers it is called so.
  message: payload,
  headers: shownHeaders(headers),
  mapped: null,
})
