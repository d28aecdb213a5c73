import { randomUUID } from 'node:crypto'

/** A name for one request, unique without being ordered. */
export const newRequestId = (): string => randomUUID()
