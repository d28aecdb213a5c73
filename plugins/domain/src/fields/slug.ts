import { z } from 'zod'
import { textType } from './text-type.ts'

const SLUG = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u

/** A name for addresses: lower-case words joined by hyphens; `from` names the field that it is made from. */
export const slug = textType({
  name: 'slug',
  attributes: { from: z.string().min(1).describe('slug: the field that it is made from.') },
  format: {
    sentence: 'format.slug',
    matches: (text) => SLUG.test(text),
  },
  openapi: { pattern: SLUG.source },
})

/** A slug's letters for those that do not come apart into a Latin letter and marks. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
}

/** So much of a text is looked at for its slug. */
const READ = 10_000

/** The slug of a text's beginning, at most `limit` characters long; '' where that has no letter and no digit. */
export function slugify(text: string, limit = 200): string {
  const plain = text
    .slice(0, READ)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßæœøđðłþı]/g, (letter) => LETTERS[letter]!)
    .replace(/['’]/g, '')
    .replace(/[^\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+/gu, '-')
  return Array.from(plain.replace(/^-/, '')).slice(0, limit).join('').replace(/-$/, '')
}
