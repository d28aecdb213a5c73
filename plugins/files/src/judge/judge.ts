import { createHash } from 'node:crypto'
import { TextDecoder } from 'node:util'
import { type AppError, errors } from '@svc/kernel'
import { fileFault } from '../errors.ts'
import { isText } from '../media-types/media-type.ts'
import { officeSearch } from './office.ts'
import { HEAD_BYTES, isAlike, isSigned, signatureOf } from './signature.ts'
import { hasSvgRoot, utf16Of } from './svg-root.ts'

/** What the bytes of a file turned out to be. */
export interface Verdict {
  readonly size: number
  /** SHA-256 in base64url. */
  readonly hash: string
  /** A text whose bytes are UTF-8. */
  readonly isUtf8: boolean
}

/** Thrown where bytes are not taken, though they came well: what is to be answered. */
export class Rejected extends Error {
  readonly answer: AppError

  constructor(answer: AppError) {
    super(answer.message, { cause: answer })
    this.answer = answer
  }
}

const ZIP = 'application/zip'
const SVG = 'image/svg+xml'

const tooLarge = (limit: number) =>
  new Rejected(errors.PAYLOAD_TOO_LARGE({ message: `The file is larger than ${limit} bytes` }))
const otherBytes = (message: string) => new Rejected(fileFault('content', message))

/**
 * Looks at the bytes of a file of a type as they pass: what they are, how many, and their hash. What passes is bounded by
 * `limit`, in bytes. Passing throws Rejected for what is too large, and for what is not what its type says.
 */
export class Judge {
  readonly #type: string
  readonly #limit: number
  readonly #hash = createHash('sha256')
  readonly #head: Uint8Array[] = []
  readonly #office: ReturnType<typeof officeSearch>
  readonly #isText: boolean
  #headSize = 0
  #isHeadJudged = false
  #isMarked = false
  #size = 0
  #utf8: TextDecoder | undefined
  #verdict: Verdict | undefined

  constructor(type: string, limit: number) {
    this.#type = type
    this.#limit = limit
    this.#office = officeSearch(type)
    this.#isText = isText(type)
    this.#utf8 = this.#isText ? new TextDecoder('utf-8', { fatal: true }) : undefined
  }

  /** What came of it, once all bytes have passed. */
  get verdict(): Verdict {
    if (this.#verdict === undefined) throw new Error('the bytes have not all passed')
    return this.#verdict
  }

  async *pass(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of bytes) {
      this.#size += chunk.length
      if (this.#size > this.#limit) throw tooLarge(this.#limit)
      this.#hash.update(chunk)
      this.#office?.pass(chunk)
      if (!this.#isHeadJudged) {
        this.#head.push(chunk)
        this.#headSize += chunk.length
        if (this.#headSize >= HEAD_BYTES) await this.#judgeHead()
      }
      if (this.#isText) this.#read(chunk)
      yield chunk
    }
    if (this.#size === 0) throw otherBytes('is empty')
    if (!this.#isHeadJudged) await this.#judgeHead()
    this.#readEnd()
    this.#verdict = {
      size: this.#size,
      hash: this.#hash.digest('base64url'),
      isUtf8: this.#utf8 !== undefined,
    }
  }

  async #judgeHead(): Promise<void> {
    this.#isHeadJudged = true
    const head = Buffer.concat(this.#head.splice(0)).subarray(0, HEAD_BYTES)
    const type = this.#type
    if (type === SVG && !hasSvgRoot(head)) throw otherBytes("is no svg: its first element is not 'svg'")
    if (this.#isText || !(await isSigned(type))) return
    const found = await signatureOf(head)
    // Which of the packages it is shows at the end where it does not at the beginning.
    if (found === ZIP && this.#office !== undefined) return
    if (found === undefined || !isAlike(type, found))
      throw otherBytes(`is no ${type}${found === undefined ? '' : `: its bytes are those of ${found}`}`)
  }

  /** Text holds no NUL, unless it is marked as one that has two bytes for each letter. */
  #read(chunk: Uint8Array): void {
    if (this.#size === chunk.length) this.#isMarked = utf16Of(chunk) !== undefined
    if (!this.#isMarked && chunk.includes(0)) throw otherBytes('is no text: it holds a NUL')
    this.#decode(() => this.#utf8?.decode(chunk, { stream: true }))
  }

  #readEnd(): void {
    this.#decode(() => this.#utf8?.decode())
    if (this.#office?.isFound() === false)
      throw otherBytes(`is no ${this.#type}: it is a zip without the parts of one`)
  }

  #decode(work: () => void): void {
    try {
      work()
    } catch {
      this.#utf8 = undefined
    }
  }
}
