import { textType } from './text-type.ts'

/** Text of many lines. */
export const text = textType({ name: 'text', searchable: true })
