import { isCleanText, isoTime } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { placedId } from './placed-id.ts'
import { type Earlier, rowOf } from './row.ts'
import { NO_ADDRESS, SPAN_MS } from './table.ts'

/** A request that was answered. */
export interface AnsweredRequest {
  /** Null where nobody was signed in. */
  readonly username: string | null
  readonly action: string
  readonly transport: string
  readonly remote: string
  readonly status: number
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly cameAt: number
  readonly durationMs: number
}

/** Requests that differ in their times alone. Numbers side by side: a thousand objects less to look after. */
interface Group {
  readonly like: AnsweredRequest
  readonly places: number[]
  readonly times: number[]
  readonly durations: number[]
}

/** Requests that are written together, in the order in which they were answered. */
export class Batch {
  readonly #groups = new Map<string, Group>()
  readonly #newId: () => string
  #size = 0
  #rows: readonly Row[] | undefined

  constructor(newId: () => string) {
    this.#newId = newId
  }

  get size(): number {
    return this.#size
  }

  /** Whether more can be added: not behind the making of its rows. */
  get isOpen(): boolean {
    return this.#rows === undefined
  }

  add(request: AnsweredRequest): void {
    const { places, times, durations } = this.#groupOf(request)
    places.push(this.#size++)
    times.push(Math.floor(request.cameAt))
    durations.push(request.durationMs)
  }

  /** One row for each group; once they are made they stay the same, so that a row is written once. */
  get rows(): readonly Row[] {
    return (this.#rows ??= this.#made(this.#newId()))
  }

  #groupOf(request: AnsweredRequest): Group {
    const key = keyOf(request)
    const known = this.#groups.get(key)
    if (known !== undefined) return known
    const group: Group = { like: request, places: [], times: [], durations: [] }
    this.#groups.set(key, group)
    return group
  }

  #made(base: string): readonly Row[] {
    return Array.from(this.#groups.values(), (group) => told(group, base))
  }
}

/** Equal for requests that differ in their times alone, and not by much: lengths tell where a text ends, whatever stands in it. */
const keyOf = ({ status, transport, remote, action, username, cameAt }: AnsweredRequest): string =>
  `${status} ${Math.floor(cameAt / SPAN_MS)} ${transport.length} ${remote.length} ${action.length} ${transport}${remote}${action}${username === null ? '' : `@${username}`}`

function told({ like, places, times, durations }: Group, base: string): Row {
  const latest = times.reduce((best, time, one) => (time >= times[best]! ? one : best), 0)
  const earlier = places.flatMap((place, one): Earlier[] =>
    one === latest ? [] : [[place, times[latest]! - times[one]!, toMicroseconds(durations[one]!)]],
  )
  return rowOf({
    id: placedId(base, places[latest]!),
    username: like.username,
    action: like.action,
    transport: like.transport,
    remoteAddr: isCleanText(like.remote) ? like.remote : NO_ADDRESS,
    statusCode: like.status,
    durationMs: toMicroseconds(durations[latest]!),
    timestamp: isoTime(times[latest]!),
    earlier,
  })
}

const toMicroseconds = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
