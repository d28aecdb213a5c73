import type { Bus, Close } from '@svc/kernel'
import { nextChain } from './chain.ts'
import type { Script } from './script.ts'

/** Has the handlers of scripts hear the bus, in the order of the list; what it returns ends that. */
export function connect(scripts: readonly Script[], bus: Bus): Close {
  const ends = scripts.flatMap((script) =>
    script.registrations.map((registration, handler) =>
      bus.on(heard(registration.name), (event, name) => {
        const chain = nextChain(Object(event))
        const text = JSON.stringify({ name, input: null, ...Object(event) })
        const isUrgent = chain.depth > 1 && isAwaited(Object(event))
        return script.run({ registration, handler, event: text, chain, isUrgent })
      }),
    ),
  )
  return () => {
    for (const end of ends) end()
  }
}

/** Scripts hear of records and nothing else: a shorter beginning means all of them. */
const heard = (name: string): string =>
  name.endsWith('*') && 'svc.'.startsWith(name.slice(0, -1)) ? 'svc.*' : name

/** Somebody may wait for the handlers of hooks and operations, nobody waits for those of other events. */
const isAwaited = (event: object): boolean => 'hook' in event || 'operation' in event
