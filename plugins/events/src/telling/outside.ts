import type { Accounts } from '@svc/auth/contract'
import { type KeptPassing, passOverKept } from '@svc/automation/contract'
import type { Data } from '@svc/domain/contract'
import {
  ANONYMOUS,
  type AppError,
  type Call,
  type Caller,
  countOf,
  type Environment,
  errors,
  type Logger,
  Reply,
} from '@svc/kernel'
import type { Table } from '@svc/store/contract'
import {
  BEGINNING,
  type EventLedger,
  type OutsideEvent,
  type OutsideEvents,
  type Place,
  type RecordEvent,
  type TimeSpan,
} from '../contract.ts'
import { askedOutside, audible, eventId, namesOf, NO_EVENT, openTo } from './asked.ts'
import { RETRY, sayingOf } from './frames.ts'
import { Hub } from './hub.ts'
import { LiveStream } from './live-stream.ts'
import { type EventPage, pageOf } from './page.ts'
import { toldTo } from './told.ts'
import { issueTicket, useTicket } from './tickets.ts'

/** What the events of every domain share on this server. */
export interface OutsideParts {
  readonly accounts: Accounts
  readonly env: Environment
  readonly log: Logger
  readonly maxStreams: number
  /** How many streams are open on this server. */
  readonly open: { streams: number }
}

/** The query of a request for events. */
export interface EventQuery {
  readonly resource?: string | undefined
  readonly action?: string | undefined
  readonly id?: string | undefined
  readonly after?: string | undefined
  readonly limit?: string | undefined
  readonly ticket?: string | undefined
}

/** How many events a page has where nobody says, and at most. */
const LIMITS = { limit: 100, most: 1000 }

/** The events of one domain, for those outside. */
export class Outside implements OutsideEvents {
  readonly #parts: OutsideParts
  readonly #data: Data
  readonly #ledger: EventLedger
  readonly #tickets: Table
  readonly #hub: Hub
  /** The names of all resources: one list for all streams that name none. */
  readonly #all: readonly string[]

  constructor(data: Data, ledger: EventLedger, tickets: Table, parts: OutsideParts) {
    const { accounts, log, env } = parts
    this.#parts = parts
    this.#data = data
    this.#ledger = ledger
    this.#tickets = tickets
    this.#all = [...data.model.resources.keys()]
    this.#hub = new Hub({ data, ledger, accounts, log, now: env.now })
  }

  names(caller?: Caller): readonly string[] {
    const all = [...this.#data.model.resources.values()]
    return namesOf(caller === undefined ? all : openTo(all, caller, this.#data))
  }

  /** A part of what is kept. */
  async page(query: EventQuery, call: Call): Promise<EventPage> {
    const { named, ...asked } = askedOutside(query, this.#data)
    const { caller } = await this.#asker(query, call)
    const resources = audible(named, caller, this.#data)
    const after = eventId(query.after, 'after')
    const telling = { data: this.#data, now: this.#parts.env.now }
    const limit = countOf('limit', query.limit, LIMITS)
    return pageOf({ ...asked, resources, after, limit }, { caller }, this.#ledger, telling)
  }

  /** What is kept behind a position, and then what comes. */
  async stream(query: EventQuery, call: Call): Promise<Reply> {
    const { open, maxStreams } = this.#parts
    const { named, ...asked } = askedOutside(query, this.#data)
    const shown = call.request?.meta('last-event-id')
    const after = eventId(shown, 'Last-Event-ID') ?? eventId(query.after, 'after')
    if (open.streams >= maxStreams) throw tooMany(maxStreams)
    const { caller, credentials } = await this.#asker(query, call)
    audible(named, caller, this.#data)
    const { place, id, isReset } = await this.#from(after)
    if (open.streams >= maxStreams) throw tooMany(maxStreams)
    open.streams += 1
    const stream: LiveStream = new LiveStream({
      // Of what the caller may list none of now it may be granted some later.
      asked: {
        ...asked,
        resources: query.resource === undefined ? this.#all : named.map(({ name }) => name),
      },
      caller,
      credentials,
      place,
      over: () => {
        open.streams -= 1
        this.#hub.leave(stream)
      },
    })
    stream.push(RETRY)
    if (isReset) stream.push(sayingOf('reset', {}))
    stream.push(sayingOf('ready', {}, id))
    this.#hub.follow(stream)
    return new Reply({
      headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
      content: { type: 'text/event-stream', body: stream.body },
    })
  }

  /** Something by which the caller may open one stream without a token. */
  async ticket(call: Call): Promise<Reply> {
    const credentials = this.#parts.accounts.credentialsOf(call.caller)
    const made = await issueTicket(this.#tickets, credentials, this.#data, this.#parts.env)
    return Reply.created(made)
  }

  async tell(id: string, caller: Caller): Promise<OutsideEvent | 'gone' | undefined> {
    const { reader, model } = this.#data
    const at = await this.#ledger.find(reader, id)
    if (at === undefined) return 'gone'
    const before = { ...at, number: at.number - 1 }
    const [event] = await this.#ledger.read(reader, { after: before, at: [at] })
    if (event === undefined) return 'gone'
    const [told] = await toldTo(caller, [event], { data: this.#data, now: this.#parts.env.now })
    const resource = model.resources.get(event.resource)
    return (
      told && resource && { name: `${resource.actionPrefix}${told.action}`, at: event.at, data: told.data }
    )
  }

  passOver(of: KeptPassing): Promise<AppError | undefined> {
    const { reader, model } = this.#data
    return passOverKept(of, model, reader, this.#parts.log)
  }

  async *between({ after: since, before }: TimeSpan, size: number): AsyncGenerator<readonly RecordEvent[]> {
    await this.#ledger.gather()
    const span = { ...(since !== undefined && { since }), ...(before !== undefined && { before }) }
    for (let after: Place = BEGINNING; ;) {
      const asked = { after, isTold: true as const, limit: size, ...span }
      const events = await this.#ledger.read(this.#data.reader, asked)
      if (events.length > 0) yield events
      if (events.length < size) return
      after = events.at(-1)!.place
    }
  }

  close(): void {
    this.#hub.close()
  }

  /** Who asks: by a ticket, or by what the pipeline has found out. */
  async #asker({ ticket }: EventQuery, call: Call): Promise<Asking> {
    const { accounts, env } = this.#parts
    if (ticket !== undefined) {
      const used = await useTicket(this.#tickets, ticket, this.#data, env)
      if (used === undefined)
        throw errors.UNAUTHORIZED({
          message: 'This ticket is unknown, used, or older than 30 seconds: get another',
        })
      const { credentials } = used
      return { caller: credentials ? await accounts.identify(credentials) : ANONYMOUS, credentials }
    }
    const { caller } = call
    // A token that is no good makes nobody of who shows it, who would follow the events of strangers.
    if (caller.kind === 'anonymous' && call.request?.meta('authorization')) throw errors.UNAUTHORIZED()
    return { caller, credentials: accounts.credentialsOf(caller) }
  }

  /** The place from which on is told; that of the end where the id is kept no more, or none is given. */
  async #from(after: string | undefined) {
    const { reader } = this.#data
    await this.#ledger.gather()
    if (after === NO_EVENT) return { place: BEGINNING, id: after, isReset: false }
    const found = after === undefined ? undefined : await this.#ledger.find(reader, after)
    if (after !== undefined && found) return { place: found, id: after, isReset: false }
    const last = await this.#ledger.last(reader)
    return { place: last?.place ?? BEGINNING, id: last?.id ?? NO_EVENT, isReset: after !== undefined }
  }
}

interface Asking {
  readonly caller: Caller
  readonly credentials: ReturnType<Accounts['credentialsOf']>
}

const tooMany = (most: number) =>
  errors.UNAVAILABLE({
    message: `All ${most} live streams of this server are taken (events.max_streams): try again, or read pages`,
    headers: { 'Retry-After': '5' },
  })
