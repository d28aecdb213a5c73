import type { FilePlace } from './table.ts'

/** Where files are found, and below what else as well. */
export const BASE = '/api/v1/files'
export const BASES = [BASE, '/files'] as const

const PLACE =
  /^(?<month>\d{4}\/(?:0[1-9]|1[0-2]))\/(?<id>[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.(?<extension>[a-z0-9]{1,30})$/

/** What the bytes of a file lie under: nothing of it comes from outside. */
export const keyOf = ({ id, month, extension }: FilePlace): string => `${month}/${id}.${extension}`

/** The address of a file. */
export const pathOf = (file: FilePlace): string => `${BASE}/${keyOf(file)}`

/** The file that a key is of; undefined for what is no key. */
export function placeOf(key: string): FilePlace | undefined {
  const { id, month, extension } = PLACE.exec(key)?.groups ?? {}
  return id === undefined || month === undefined || extension === undefined
    ? undefined
    : { id, month, extension }
}

/** When the id of a file was made, in milliseconds since 1970 (RFC 9562, section 5.7). */
export const madeAt = ({ id }: FilePlace): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The folder of a moment's uploads. */
export const monthOf = (moment: number): string =>
  new Date(moment).toISOString().slice(0, 7).replace('-', '/')
