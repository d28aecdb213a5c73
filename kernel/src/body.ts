import { errors } from './errors.ts'

/** What an action takes that reads its body by itself, as the bytes that it is. */
export interface RawBody {
  /** The most bytes that it takes. */
  readonly bytes: number
  /** The media types that it takes, such as `image/png` or `image/*`; any unless said. */
  readonly types?: readonly string[]
}

/** A body on its way in: its bytes, as they come or all at once, and what its sender calls them. */
export interface SentBody {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
  /** The media type, with its parameters. */
  readonly type?: string | undefined
}

/** The bytes that a handler reads, once, as they come. Throws PAYLOAD_TOO_LARGE on the way, or what its sender failed with. */
export interface Body extends AsyncIterable<Uint8Array> {
  /** The media type as its sender named it, with its parameters. */
  readonly type: string | undefined
}

/** A body that ends where it has more bytes than its action takes. */
export class CappedBody implements Body {
  readonly type: string | undefined
  readonly #source: SentBody['bytes']
  readonly #limit: number
  #isBegun = false

  constructor({ bytes, type }: SentBody, limit: number) {
    this.type = type
    this.#source = bytes
    this.#limit = limit
  }

  /** Whether somebody has begun to read it: it cannot be read again. */
  get isBegun(): boolean {
    return this.#isBegun
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    if (this.#isBegun) throw new Error('the bytes of a body come once: keep what is needed again')
    this.#isBegun = true
    return this.#read()
  }

  async *#read(): AsyncGenerator<Uint8Array, void> {
    let size = 0
    for await (const chunk of this.#source instanceof Uint8Array ? [this.#source] : this.#source) {
      size += chunk.length
      if (size > this.#limit)
        throw errors.PAYLOAD_TOO_LARGE({ message: `The body is larger than ${this.#limit} bytes` })
      yield chunk
    }
  }
}

/** What an action finds that was sent no body. */
export const NO_BODY: Body = Object.freeze({
  type: undefined,
  async *[Symbol.asyncIterator]() {},
})

/** All the bytes of a body, for an action that needs them at once and takes few. */
export async function bytesOf(body: Body): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const whole = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
