import type { Accounts, Credentials } from '@svc/auth/contract'
import type { Data } from '@svc/domain/contract'
import { AppError, type Caller, type Logger } from '@svc/kernel'
import { comparePlaces, type EventLedger, type Place, type RecordEvent } from '../contract.ts'
import { COMMENT, frameOf, sayingOf } from './frames.ts'
import type { LiveStream } from './live-stream.ts'
import { type Telling, type Told, toldTo } from './told.ts'

/** How long commits are gathered before they are looked at, in milliseconds. */
const GATHER_MS = 10
/** How often events of other servers, and the rights of readers, are looked at. */
const LOOK_MS = 400
const COMMENT_MS = 15_000
/** How many events are read at once. */
const CHUNK = 500

export interface HubParts {
  readonly data: Data
  readonly ledger: EventLedger
  readonly accounts: Pick<Accounts, 'identify'>
  readonly log: Logger
  readonly now: () => number
}

/**
 * The one reader of a domain's events on this server, for all who follow them live: it reads each event once, and tells it to
 * all that stand where it stands. Who comes with a position reads by itself until it is there.
 */
export class Hub {
  readonly data: Data
  readonly ledger: EventLedger
  readonly #accounts: HubParts['accounts']
  readonly #log: Logger
  readonly #telling: Telling
  /** Those that were told everything up to the hub's place. */
  readonly #abreast = new Set<LiveStream>()
  /** Those that are still reading what came before. */
  readonly #behind = new Set<LiveStream>()
  #place: Place | undefined
  #isLooking = false
  #isAskedAgain = false
  #isClosed = false
  #stop: (() => void) | undefined

  constructor({ data, ledger, accounts, log, now }: HubParts) {
    this.data = data
    this.ledger = ledger
    this.#accounts = accounts
    this.#log = log
    this.#telling = { data, now }
  }

  /** Tells a stream everything behind its place, and then what comes. */
  follow(stream: LiveStream): void {
    if (this.#isClosed) return stream.end()
    this.#fallBehind(stream)
    this.#begin()
  }

  /** Lets a stream go. */
  leave(stream: LiveStream): void {
    this.#abreast.delete(stream)
    this.#behind.delete(stream)
    if (this.#abreast.size + this.#behind.size > 0) return
    this.#stop?.()
    this.#stop = this.#place = undefined
  }

  /** Ends every stream: its reader comes back, to whoever tells then. */
  close(): void {
    this.#isClosed = true
    for (const stream of [...this.#abreast, ...this.#behind]) stream.end()
  }

  #begin(): void {
    if (this.#stop !== undefined) return
    let gathering: NodeJS.Timeout | undefined
    const unwatch = this.ledger.watch(() => {
      gathering ??= setTimeout(() => {
        gathering = undefined
        this.#look()
      }, GATHER_MS)
    })
    const looking = setInterval(() => this.#look(), LOOK_MS)
    const commenting = setInterval(() => this.#comment(), COMMENT_MS)
    this.#stop = () => {
      unwatch()
      clearTimeout(gathering)
      clearInterval(looking)
      clearInterval(commenting)
    }
  }

  #comment(): void {
    for (const stream of [...this.#abreast, ...this.#behind]) stream.beat(COMMENT)
  }

  /** Looks once at a time, and once more where somebody asked meanwhile. */
  #look(): void {
    this.#isAskedAgain = true
    if (!this.#isLooking) void this.#rounds()
  }

  async #rounds(): Promise<void> {
    this.#isLooking = true
    while (this.#isAskedAgain && !this.#isClosed && this.#stop !== undefined) {
      this.#isAskedAgain = false
      try {
        await this.ledger.gather()
        await this.#judge()
        while (await this.#tell());
      } catch (err) {
        this.#log.warn({ err, domain: this.data.model.name }, 'events.stream_delayed')
      }
    }
    this.#isLooking = false
  }

  /** Tells those abreast of it what comes next; answers whether there may be more. */
  async #tell(): Promise<boolean> {
    const place = this.#place
    if (place === undefined) return false
    const events = await this.ledger.read(this.data.reader, { after: place, isTold: true, limit: CHUNK })
    const last = events.at(-1)
    if (last === undefined || this.#place === undefined) return false
    // At once with the choice of those who hear: who comes abreast later reads up to this by itself.
    this.#place = last.place
    await this.#tellAll([...this.#abreast], events)
    return events.length === CHUNK
  }

  #fallBehind(stream: LiveStream): void {
    this.#abreast.delete(stream)
    this.#behind.add(stream)
    void this.#bringUp(stream).catch((err: unknown) => this.#fail(stream, err))
  }

  async #tellAll(streams: readonly LiveStream[], events: readonly RecordEvent[]): Promise<void> {
    for (const [caller, own] of grouped(streams)) {
      try {
        await this.#tellThose(caller, own, events)
      } catch (err) {
        this.#log.warn({ err, domain: this.data.model.name }, 'events.stream_delayed')
        // The hub has gone on: they read what they were not told by themselves.
        for (const stream of own) if (!stream.isOver) this.#fallBehind(stream)
      }
    }
  }

  async #tellThose(
    caller: Caller,
    streams: readonly LiveStream[],
    events: readonly RecordEvent[],
  ): Promise<void> {
    const lists = new Set(streams.map(({ asked }) => asked.resources))
    const wanted = new Set([...lists].flat())
    const heard = events.filter(({ resource }) => wanted.has(resource))
    const told = heard.length === 0 ? [] : await toldTo(caller, heard, this.#telling)
    const frames = told.map((one) => one && frameOf(one))
    for (const stream of streams) {
      const missed = heard.find((event, at) => !isToldLive(stream, event, told[at], frames[at]))
      stream.place = missed ? { ...missed.place, number: missed.place.number - 1 } : events.at(-1)!.place
      if (missed && !stream.isOver) this.#fallBehind(stream)
    }
  }

  /** Reads for a stream what stands before the hub's place. */
  async #bringUp(stream: LiveStream): Promise<void> {
    while (!stream.isOver) {
      this.#place ??= stream.place
      // Both in one turn: what is told from now on is told to it too.
      if (comparePlaces(stream.place, this.#place) >= 0) {
        this.#behind.delete(stream)
        this.#abreast.add(stream)
        return this.#look()
      }
      const abreast = this.#place
      if (stream.isBusy) await stream.drained()
      const ahead = await this.ledger.ahead(this.data.reader, stream.place, CHUNK)
      const upTo = ahead && comparePlaces(ahead.place, abreast) < 0 ? ahead.place : abreast
      const { resources, recordIds } = stream.asked
      const events = await this.ledger.read(this.data.reader, {
        after: stream.place,
        upTo,
        isTold: true,
        resources,
        ...(recordIds && { recordIds }),
      })
      const told = await toldTo(stream.caller, events, this.#telling)
      for (const [at, event] of events.entries()) {
        if (stream.isBusy) await stream.drained()
        const one = told[at]
        if (one && hears(stream, event, one)) stream.push(frameOf(one))
      }
      stream.place = upTo
    }
  }

  /** Asks of every reader whether it is still who it was. */
  async #judge(): Promise<void> {
    const asked = new Map<string, Promise<Caller | AppError>>()
    const ask = (credentials: Credentials) =>
      this.#accounts.identify(credentials).catch((error: unknown) => {
        if (error instanceof AppError && error.status < 500) return error
        throw error
      })
    for (const stream of [...this.#abreast, ...this.#behind]) {
      const { credentials, proof } = stream
      if (credentials === undefined || proof === undefined) continue
      const known = asked.get(proof) ?? ask(credentials)
      asked.set(proof, known)
      const found = await known
      if (found instanceof AppError) stream.end(sayingOf('end', { reason: found.code }))
      else stream.caller = found
    }
  }

  #fail(stream: LiveStream, err: unknown): void {
    if (!stream.isOver) this.#log.warn({ err, domain: this.data.model.name }, 'events.stream_failed')
    stream.end()
  }
}

function grouped(streams: readonly LiveStream[]): ReadonlyMap<Caller, readonly LiveStream[]> {
  const groups = new Map<Caller, LiveStream[]>()
  for (const stream of streams) {
    const known = groups.get(stream.caller)
    if (known === undefined) groups.set(stream.caller, [stream])
    else known.push(stream)
  }
  return groups
}

/** Tells a stream an event that it hears; answers false where so much waits for it that it has to read that by itself. */
function isToldLive(
  stream: LiveStream,
  event: RecordEvent,
  told: Told | undefined,
  frame: Uint8Array | undefined,
): boolean {
  if (told === undefined || frame === undefined || !hears(stream, event, told)) return true
  if (stream.isFull) return false
  stream.push(frame)
  return true
}

function hears(
  { asked, place: known }: LiveStream,
  { resource, recordId, place }: RecordEvent,
  told: Told,
): boolean {
  const { resources, actions, recordIds } = asked
  if (comparePlaces(place, known) <= 0 || !resources.includes(resource)) return false
  if (recordIds && !recordIds.includes(recordId)) return false
  return actions === undefined || actions.has(told.action)
}
