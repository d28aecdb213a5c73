import { once } from 'node:events'
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { type Body, type Call, droppedBy, errors, type RawBody } from '@svc/kernel'

/** What forms with files are sent as (RFC 7578). */
export const FORM = 'multipart/form-data'

/** What an action says as `rawBody` that takes one file of a form, whose message has so many bytes at most. */
export const formOf = (bytes: number): RawBody => ({ bytes, types: [FORM] })

/** The one file of a message, whose bytes are read once, as they come. */
export interface Upload extends AsyncIterable<Uint8Array> {
  /** What its sender calls it. */
  readonly filename: string | undefined
  /** The media type that its sender names, `text/plain` where there is none (RFC 7578, section 4.4). */
  readonly type: string
}

const MAX_PARTS = 20
/** The most bytes of a message that belong to headers of parts, all together. */
const MAX_HEADER_BYTES = 16 * 1024
/** What may be on its way between being read and being counted. */
const UNCOUNTED = 256 * 1024
/** Two dashes at each end, and line ends. */
const AROUND_BOUNDARY = 8

/**
 * The file that a call was sent: the one file part of its form, or, where something inside the process calls, its bytes
 * as they are. Rejects with BAD_REQUEST where the form cannot be read, and VALIDATION_ERROR on `file` where it has no
 * file; reading the file ends so where that shows behind it, or where a second one comes. Other fields are ignored with a
 * warning.
 */
export async function uploadOf(call: Pick<Call, 'body' | 'request' | 'warn'>): Promise<Upload> {
  const { body } = call
  if (call.request === undefined)
    return { filename: undefined, type: body.type ?? PLAIN, [Symbol.asyncIterator]: () => bytesOf(body) }
  if (body.type === undefined) throw noFile()
  const form = new Form(body, droppedBy(call.request.meta('prefer'), call.warn))
  await form.begun
  if (form.file === undefined) throw noFile()
  return form.file
}

const PLAIN = 'text/plain'

async function* bytesOf(body: Body): AsyncGenerator<Uint8Array, void> {
  yield* body
}

const noFile = () =>
  errors.VALIDATION_ERROR({
    message: 'The form has no file',
    errors: [{ field: 'file', rule: 'required', message: 'must be one file' }],
  })

const secondFile = () =>
  errors.VALIDATION_ERROR({
    message: 'The form has more than one file',
    errors: [{ field: 'file', rule: 'items', message: 'must be one file' }],
  })

const broken = (reason: string) =>
  errors.BAD_REQUEST({ message: `The body is no whole multipart/form-data: ${reason}` })

/** A part of a form as its headers tell of it. */
interface Part {
  readonly name: string
  readonly filename: string | undefined
  readonly type: string
  readonly stream: BusboyFileStream
}

/** Files have names of their own, or a type that texts of forms have not; and what is called so is meant as one. */
const isFile = ({ name, filename, type }: Part): boolean =>
  filename !== undefined || type !== PLAIN || name === 'file'

/** A form on its way in: it is read as far as its file is. */
class Form {
  /** Resolves with the first file, or where there is no more to come. */
  readonly begun: Promise<void>
  file: Upload | undefined
  readonly #parser: BusboyInstance
  readonly #boundary: string
  readonly #drop: (message: string) => void
  readonly #parts: BusboyFileStream[] = []
  readonly #settled: Promise<void>
  #begin = (): void => undefined
  /** Ends the wait for the parser. */
  #release = (): void => undefined
  #taken = 0
  #fault: Error | undefined = undefined
  #isLeft = false

  constructor(body: Body, drop: (message: string) => void) {
    this.#drop = drop
    this.#boundary = boundaryOf(body.type ?? '')
    this.begun = new Promise((resolve, reject) => {
      this.#begin = () => (this.#fault === undefined ? resolve() : reject(this.#fault))
    })
    this.begun.catch(() => undefined)
    this.#parser = new Busboy({
      headers: { 'content-type': body.type } as BusboyHeaders,
      // All parts come as streams: what is read of each is counted.
      isPartAFile: () => true,
      limits: { parts: MAX_PARTS, headerSize: 2 * MAX_HEADER_BYTES },
    })
    this.#parser
      .on('error', (error) => this.#fail(broken(reasonOf(error))))
      .on('partsLimit', () => this.#fail(broken(`it has more than ${MAX_PARTS} parts`)))
      .on('file', (name: string | undefined = '', stream, filename: string | undefined, _encoding, type) =>
        this.#take({ name, stream, filename, type }),
      )
    this.#settled = this.#pump(body)
  }

  #take(part: Part): void {
    const { name, stream, filename, type } = part
    this.#parts.push(stream)
    stream.on('error', (error) => this.#fail(broken(reasonOf(error))))
    if (!isFile(part)) {
      stream.resume()
      return this.#attempt(() => this.#drop(`The form field '${name.slice(0, 100)}' is not known here`))
    }
    if (this.file !== undefined) {
      stream.resume()
      return this.#fail(secondFile())
    }
    this.file = { filename, type, [Symbol.asyncIterator]: () => this.#read(stream) }
    this.#begin()
  }

  async *#read(stream: BusboyFileStream): AsyncGenerator<Uint8Array, void> {
    try {
      yield* stream as AsyncIterable<Uint8Array>
      await this.#settled
    } catch (error) {
      throw this.#fault ?? error
    } finally {
      this.#isLeft = true
    }
    if (this.#fault !== undefined) throw this.#fault
  }

  /** Hands the bytes of the message to the parser as fast as it takes them. */
  async #pump(body: Body): Promise<void> {
    try {
      for await (const chunk of body) {
        await this.#feed(chunk)
        if (this.#fault !== undefined || this.#isLeft) break
        if (this.#overhead() > this.#allowed() + UNCOUNTED) throw tooManyHeaders()
      }
      if (this.#fault === undefined && !this.#isLeft) {
        const finished = once(this.#parser, 'finish')
        this.#parser.end()
        await finished
        if (this.#overhead() > this.#allowed()) throw tooManyHeaders()
      }
    } catch (error) {
      this.#fail(error)
    }
    this.#begin()
  }

  #feed(chunk: Uint8Array): Promise<void> {
    this.#taken += chunk.length
    return new Promise((resolve) => {
      this.#release = resolve
      this.#parser.write(chunk, () => resolve())
    })
  }

  /** What the message has beside the bytes of its parts. */
  #overhead(): number {
    return this.#parts.reduce((rest, { bytesRead }) => rest - bytesRead, this.#taken)
  }

  #allowed(): number {
    return MAX_HEADER_BYTES + (this.#parts.length + 1) * (this.#boundary.length + AROUND_BOUNDARY)
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The first fault is told, by whoever reads, and nothing is read any more. */
  #fail(error: unknown): void {
    if (this.#fault !== undefined) return
    this.#fault = error instanceof Error ? error : new Error(String(error))
    for (const stream of this.#parts) stream.destroy(this.#fault)
    this.#release()
    this.#begin()
  }
}

const tooManyHeaders = () => broken(`its parts have more than ${MAX_HEADER_BYTES} bytes of headers`)

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The boundary of a form (RFC 2046, section 5.1.1). Throws BAD_REQUEST where there is none. */
function boundaryOf(type: string): string {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw errors.BAD_REQUEST({ message: 'The Content-Type names no boundary' })
  return boundary
}
