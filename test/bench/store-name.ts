/** The stores that the servers can be compared on. */
export const STORE_NAMES = ['sqlite', 'postgres'] as const

export type StoreName = (typeof STORE_NAMES)[number]

/** Reads the name of a store. Throws where there is none of that name. */
export function parseStoreName(text: string | undefined): StoreName {
  const found = STORE_NAMES.find((name) => name === text)
  if (found !== undefined) return found
  throw new Error(`the store '${text}' is not known; known are ${STORE_NAMES.join(', ')}`)
}
