import type { Channel } from '../channel.ts'

/** The channels that definitions may name. */
export interface Channels {
  /** Adds one; a taken name is an error. */
  add(channel: Channel): void
  find(name: string): Channel | undefined
  /** The name of each, without its aliases. */
  names(): readonly string[]
}

/** Makes an empty list of channels. */
export function createChannels(): Channels {
  const byName = new Map<string, Channel>()
  return {
    add(channel) {
      for (const name of [channel.type, ...(channel.aliases ?? [])]) {
        if (byName.has(name)) throw new Error(`there is a channel '${name}' already`)
        byName.set(name, channel)
      }
    },
    find: (name) => byName.get(name),
    names: () => [...new Set([...byName.values()].map(({ type }) => type))],
  }
}
