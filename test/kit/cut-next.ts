import { Client } from 'pg'
import { vi } from 'vitest'

/** Cuts the connection of the next message from this side, before it leaves or right after; what it returns takes that back. */
export function cutNext(moment: 'before' | 'after'): () => void {
  const query = Client.prototype.query
  const spy = vi.spyOn(Client.prototype, 'query')
  spy.mockImplementationOnce(function (this: unknown, ...asked: unknown[]) {
    const { stream } = Object(this)['connection']
    if (moment === 'before') stream.destroy()
    const answer: unknown = Reflect.apply(query, this, asked)
    if (moment === 'after') stream.destroy()
    return answer
  })
  return () => spy.mockRestore()
}
