import { setImmediate as aside } from 'node:timers/promises'
import { type Call, Reply } from '@svc/kernel'
import { beginReading } from './begin-reading.ts'

/**
 * An answer of CSV as a file, which leaves as fast as it is taken: whoever leaves early ends the reading. What refuses
 * the first part of it refuses the answer.
 */
export async function csvAnswer(
  parts: AsyncIterable<string>,
  filename: string,
  call: Pick<Call, 'request' | 'signal'>,
): Promise<Reply<never>> {
  const texts = parts[Symbol.asyncIterator]()
  // A request is answered once the reading goes on, or is refused with a status of its own. Others ask for no
  // status: for them it begins with the first who takes of it, since a body that nobody reads or cancels must
  // hold no connection.
  const begun = call.request === undefined ? texts : await beginReading(texts, call.signal)
  return new Reply({
    headers: { 'Content-Disposition': `attachment; filename="${filename}"` },
    content: { type: 'text/csv; charset=utf-8', body: streamed(begun) },
  })
}

const encoder = new TextEncoder()

/** Between two parts others get their turn: a store may read without ever waiting. */
const streamed = (texts: AsyncIterator<string>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await texts.next()
        await aside()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async () => void (await texts.return?.()),
    },
    { highWaterMark: 0 },
  )
