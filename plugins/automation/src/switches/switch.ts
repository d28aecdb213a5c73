/** The keys whose entries can be switched on and off while the server runs. */
export type SwitchedKey = 'rules' | 'workflows' | 'schedules' | (string & {})

/** Whether something is in force, now: each look is at memory alone. */
export interface Switch {
  readonly enabled: boolean
  /** Whether somebody has switched it, so that what the definition says does not count. */
  readonly overridden: boolean
  /** When somebody has switched it, in milliseconds since 1970; undefined where what the definition says counts. */
  readonly at: number | undefined
}

/** What is switched: the entry of a key in a domain, and what the definition says of it. */
export interface Switched {
  readonly domain: string
  readonly key: SwitchedKey
  readonly name: string
  /** What the definition says. */
  readonly declared: boolean
}

/** The switches of this server, which are those of all servers of its database within a second. */
export interface Switches {
  /** The switch of an entry, to be kept with the model and looked at whenever it counts. */
  of(switched: Switched): Switch
  /** Switches an entry, at once on this server; null: as the definition says. It is durable when the promise resolves. */
  set(switched: Switched, enabled: boolean | null): Promise<void>
  /**
   * A definition is in force: where it says something else of an entry than when that was switched, the switch is over for
   * good.
   */
  settle(entries: readonly (Switched & { readonly switch: Switch })[]): Promise<void>
  /** Is told when something was switched, here or elsewhere; what it returns ends that. */
  onChange(listener: () => void): () => void
}
