import { EventEmitter } from 'eventemitter3'
import type { Logger } from './log.ts'

/** The events with a fixed name; contracts add to it by declaration merging. */
export interface EventMap {
  /** A message of a transport was answered. */
  'request.completed': RequestCompleted
}

/** One answered message, for counters and logs. */
export interface RequestCompleted {
  readonly requestId: string
  readonly action: string
  readonly transport: string
  readonly status: number
  readonly durationMs: number
}

export type EventName = keyof EventMap | (string & {})
export type EventOf<N> = N extends keyof EventMap ? EventMap[N] : unknown
export type Listener<E> = (event: E, name: string) => unknown

/** In-process events by dotted name. Nothing is kept: who does not listen now never hears of it. */
export interface Bus {
  /** Listens to `name`; a name that ends in `*` listens to every name that starts so. */
  on<N extends EventName>(name: N, listener: Listener<EventOf<N>>): () => void
  /** Whether anybody listens to `name`: what an event costs to make is spared where nobody does. */
  hears(name: EventName): boolean
  /** Tells the listeners and does not wait; a listener's failure is logged. */
  emit<N extends EventName>(name: N, event: EventOf<N>): void
  /** Runs the listeners one after another; answers what each returned, or rejects with the first failure. */
  invoke<N extends EventName>(name: N, event: EventOf<N>): Promise<readonly unknown[]>
}

/** Makes a bus that logs the failures of listeners nobody waits for. */
export function createBus(log: Logger): Bus {
  const exact = new EventEmitter<Record<string, Listener<any>>>()
  const prefixed = new Map<string, Set<Listener<any>>>()

  const listeners = (name: string): readonly Listener<any>[] => {
    const found = exact.listeners(name) as Listener<any>[]
    if (prefixed.size === 0) return found
    const wild = [...prefixed].filter(([prefix]) => name.startsWith(prefix)).flatMap(([, set]) => [...set])
    return [...found, ...wild]
  }

  const hears = (name: string): boolean => {
    if (exact.listenerCount(name) > 0) return true
    for (const prefix of prefixed.keys()) if (name.startsWith(prefix)) return true
    return false
  }

  const guarded = async (listener: Listener<any>, event: unknown, name: string) => {
    try {
      await listener(event, name)
    } catch (error) {
      log.error({ event: name, err: error }, 'bus.listener_failed')
    }
  }

  return {
    on(name: string, told: Listener<any>) {
      // One of its own: who listens twice ends one of the two.
      const listener: Listener<any> = (event, heard) => told(event, heard)
      if (!name.endsWith('*')) {
        exact.on(name, listener)
        return () => exact.off(name, listener)
      }
      const prefix = name.slice(0, -1)
      const set = prefixed.get(prefix) ?? new Set()
      prefixed.set(prefix, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size === 0 && prefixed.get(prefix) === set) prefixed.delete(prefix)
      }
    },
    hears,
    emit(name: string, event: unknown) {
      if (!hears(name)) return
      for (const listener of listeners(name)) void guarded(listener, event, name)
    },
    async invoke(name: string, event: unknown) {
      const returned: unknown[] = []
      for (const listener of listeners(name)) returned.push(await listener(event, name))
      return returned
    },
  } as Bus
}
