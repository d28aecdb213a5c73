/** A text without what files have no place for: control characters, halves of pairs, what Unicode calls no character. */
export const withoutForbidden = (text: string): string => text.replace(FORBIDDEN, '')

// With the flag u pairs are read whole: what is left of \p{Cs} are lone halves.
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu

/** The lines of a text, whatever ends them. */
export const linesOf = (text: string): readonly string[] => text.split(/\r\n|[\r\n]/)
