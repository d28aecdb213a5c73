import type { Path, Site } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import type { z } from 'zod'

/** A way by which messages leave. */
export interface Channel<S extends z.ZodType = z.ZodType> {
  /** What definitions call it. */
  readonly type: string
  /** Other names of the same. */
  readonly aliases?: readonly string[]
  /** Whether each recipient gets a message of its own; otherwise there is one, however many recipients. */
  readonly isAddressed: boolean
  /** Whether a message needs a subject. */
  readonly needsSubject?: boolean
  /** What it has to know, beside `type`: a channel without it is written as its name alone. */
  readonly settings?: S
  /** Keys of the settings that hold a secret: one variable and nothing else, whose value stands in no table. */
  readonly secrets?: readonly string[]
  /** Reports what is wrong with settings beyond their schema; `path` leads to them. */
  check?(settings: z.output<S>, place: { readonly site: Site; readonly path: Path }): void
  /** What entries show as recipient where there is no other, without secrets. */
  label?(settings: z.output<S>): string | null
  /**
   * Hands one message over, once, and tells how that ended. It is asked again with the same message where it says so, and
   * after a crash: the message's id tells doubles apart. What it throws is tried again.
   */
  deliver(message: Message, settings: z.output<S>, signal: AbortSignal): Promise<Delivered>
}

/** A message for one recipient, or for all. */
export interface Message {
  /** The same at each try. */
  readonly id: string
  readonly domain: string
  /** What raised it, as locale files have it. */
  readonly name: string
  readonly source: {
    readonly kind: string
    readonly name: string
    readonly step: string | null
    readonly id: string | null
  }
  readonly resource: string | null
  readonly recordId: string | number | null
  /** The record as it was, as far as anybody may see it. */
  readonly record: Row | null
  readonly subject: string | null
  readonly body: string
  /** Whom it is for; null where that is everybody. */
  readonly recipient: string | null
  /** Everybody whom the notification reaches, by address. */
  readonly recipients: readonly string[]
  /** When it was raised. */
  readonly at: string
  /** Counts from 1. */
  readonly attempt: number
  /** The file that it encloses, for channels that send files; undefined where there is none. */
  enclosed(): Promise<Enclosed | undefined>
}

/** A file that goes along with a message. */
export interface Enclosed {
  readonly filename: string
  /** Its media type. */
  readonly type: string
  readonly content: Uint8Array
}

/** How handing a message over ended. */
export type Delivered =
  | { readonly status: 'sent' | 'logged'; readonly responseStatus?: number }
  /** `retry`: another try may go well, after so many milliseconds at least. */
  | {
      readonly status: 'failed' | 'retry'
      readonly code: string
      readonly message: string
      readonly responseStatus?: number
      readonly afterMs?: number
    }
