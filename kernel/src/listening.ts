/** Where a transport listens: an address of this machine, or one that stands for all of them (`0.0.0.0`, `::`), and a port. */
export interface ListeningPlace {
  readonly address: string
  readonly port: number
}

/** The places at which this server takes connections. */
export interface Listening {
  /** Takes a place down; the returned function strikes it out. */
  add(place: ListeningPlace): () => void
  list(): readonly ListeningPlace[]
}

/** Makes an empty list of places. */
export function createListening(): Listening {
  const places = new Set<ListeningPlace>()
  return {
    add(place) {
      const own = { ...place }
      places.add(own)
      return () => void places.delete(own)
    },
    list: () => [...places],
  }
}
