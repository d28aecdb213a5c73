/** A comment before a declaration; none where there is nothing to say. */
export const comment = (text: string | undefined, indent: string): string =>
  text === undefined || text.trim() === '' ? '' : `${indent}/** ${commented(text)} */\n`

/** Text of an author inside a comment, which it cannot end. */
export const commented = (text: string): string => text.replace(/\s+/g, ' ').trim().replaceAll('*/', '*\\/')
