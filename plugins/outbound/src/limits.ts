/** The most that the headers of an answer may have, in bytes. */
export const MAX_HEADER_BYTES = 16_384
