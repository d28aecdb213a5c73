import { brand } from './brand.ts'

/** Something that went less than perfectly and did not stop the request. */
export interface Warning {
  readonly rule: string
  readonly message: string
  readonly severity: 'info' | 'warning' | 'error'
  readonly regulation: string | null
  /** Which row of many it is about, from 0; undefined where there are no rows. */
  readonly index?: number
}

/**
 * A value that is JSON text already, in one piece or in several that follow one another: it reaches the answer without being
 * parsed and written again.
 */
export class JsonText {
  static {
    brand(this, 'JsonText')
  }

  readonly parts: readonly string[]

  constructor(text: string | readonly string[]) {
    this.parts = typeof text === 'string' ? [text] : text
  }

  get text(): string {
    const [first = '', ...further] = this.parts
    return further.length === 0 ? first : this.parts.join('')
  }

  /** How many characters it has. */
  get length(): number {
    let length = 0
    for (const part of this.parts) length += part.length
    return length
  }
}

/** An answer without envelope: its body as it leaves. */
export interface Content {
  /** The media type of `body` (RFC 9110, section 8.3). */
  readonly type: string
  readonly body: string | Uint8Array | ReadableStream<Uint8Array>
  /** How many bytes a stream has, where that is known: its client is told, and one that ends otherwise has broken off. */
  readonly length?: number
}

/** What a handler may say beyond its data. */
export interface ReplyParts<T> {
  /** Status code of the answer; 200 unless said. */
  readonly status?: number
  readonly data?: T | JsonText
  readonly headers?: Readonly<Record<string, string>>
  /** Facts about the answer, sent as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** Answers this body as it stands, with no envelope. */
  readonly content?: Content
}

/** An answer with more than data: a status, headers, or a body without envelope. */
export class Reply<T = unknown> {
  static {
    brand(this, 'Reply')
  }

  readonly status: number
  readonly data: T | JsonText | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  readonly content: Content | undefined

  constructor(parts: ReplyParts<T>) {
    this.status = parts.status ?? 200
    this.data = parts.data
    this.headers = parts.headers
    this.meta = parts.meta
    this.content = parts.content
  }

  /** 201 with the thing that was made. */
  static created<T>(data: T | JsonText): Reply<T> {
    return new Reply<T>({ status: 201, data })
  }

  /** 204: done, and nothing to say. */
  static empty(): Reply<never> {
    return new Reply<never>({ status: 204 })
  }
}

/** What a transport sends: status, headers, and the body as it leaves; an undefined body is none at all. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly type: string | undefined
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | undefined
  /** The bytes of a stream, where their number is known. */
  readonly length?: number
}
