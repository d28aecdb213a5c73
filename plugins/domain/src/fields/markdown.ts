import { textType } from './text-type.ts'

/** Text with Markdown marks, kept as written. */
export const markdown = textType({ name: 'markdown', aliases: ['md'], searchable: true })
