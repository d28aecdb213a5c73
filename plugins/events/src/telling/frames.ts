import type { Told } from './told.ts'

/** An event of a stream, as the HTML standard has it (9.2, server-sent events). */
export const frameOf = ({ id, action, data }: Told): Uint8Array =>
  Buffer.from(`id: ${id}\nevent: ${action}\ndata: ${JSON.stringify(data)}\n\n`)

/** What a stream says of itself. */
export const sayingOf = (event: string, data: object, id?: string): Uint8Array =>
  Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

/** How long a reader waits before it comes back, in milliseconds. */
export const RETRY: Uint8Array = Buffer.from('retry: 2000\n\n')

/** A line that means nothing, by which both ends know that the other is there. */
export const COMMENT: Uint8Array = Buffer.from(':\n\n')
