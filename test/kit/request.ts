/** What a test says of one request beyond its address. */
export interface RequestOptions {
  /** The bearer token to send. */
  readonly token?: string
  /** A value to send as JSON; a string or bytes go out as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer with its body read: JSON as a value, other text as it is, no body as undefined. */
export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  // Tests look into answers whose shape is the very thing under test.
  readonly body: any
}

/** Sends one request and reads the whole answer. */
export type SendRequest = (method: string, path: string, options?: RequestOptions) => Promise<TestAnswer>

type Fetch = (request: Request) => Promise<Response>

/** A SendRequest to the server at `base`, by way of `fetch`. */
export function createRequest(base: string, fetch: Fetch): SendRequest {
  return async (method, path, { token, body, headers = {} } = {}) => {
    const response = await fetch(
      new Request(new URL(path, base), {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: bodyOf(body) }),
      }),
    )
    return { status: response.status, headers: response.headers, body: await read(response) }
  }
}

const bodyOf = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? body : body instanceof Uint8Array ? Uint8Array.from(body) : JSON.stringify(body)

async function read(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  return /\bjson\b/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}
