import { textType } from './text-type.ts'

/** A line of text. */
export const string = textType({ name: 'string', searchable: true })
