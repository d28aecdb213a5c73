import { isCleanText, isoTime } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { placedId } from './placed-id.ts'
import { type Earlier, rowOf } from './row.ts'
import { NO_ADDRESS } from './table.ts'

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

/** By action, name and address. */
type Groups = Map<string, Map<string | null, Map<string, Group[]>>>

/** Requests that are written together, in the order in which they were answered. */
export class Batch {
  readonly #groups: Groups = new Map()
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

  /** Looked up by texts that nearly all requests share, none of which has to be made. */
  #groupOf(request: AnsweredRequest): Group {
    const byUser = entry(this.#groups, request.action, () => new Map())
    const byAddress = entry(byUser, request.username, () => new Map())
    const alike = entry(byAddress, request.remote, (): Group[] => [])
    for (const group of alike)
      if (group.like.status === request.status && group.like.transport === request.transport) return group
    const group: Group = { like: request, places: [], times: [], durations: [] }
    alike.push(group)
    return group
  }

  #made(base: string): readonly Row[] {
    const groups = [...this.#groups.values()]
      .flatMap((byUser) => [...byUser.values()])
      .flatMap((byAddress) => [...byAddress.values()])
    return groups.flat().map((group) => told(group, base))
  }
}

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

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
