/** The longest line that is read, in bytes and without its newline. */
export const MAX_LINE_BYTES = 64 * 1024

/** Connections at one time; further ones are closed at once. */
export const MAX_CONNECTIONS = 16

/** A connection on which nothing moves for so long is closed. */
export const IDLE_MS = 5 * 60 * 1000

/** The longest path that a Unix socket's address has room for. */
export const MAX_PATH_BYTES = 107
