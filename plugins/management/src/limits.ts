/** The longest line that is read, in bytes and without its newline. */
export const MAX_LINE_BYTES = 64 * 1024

/** Connections at one time; a further one is told so and closed. */
export const MAX_CONNECTIONS = 16

/** A connection on which nothing moves for so long is closed. */
export const IDLE_MS = 5 * 60 * 1000

/** The longest path that a Unix socket's address has room for, which is the system's to say. */
export const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103
