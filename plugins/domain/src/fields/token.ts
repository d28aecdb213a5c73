import { textType } from './text-type.ts'

/** Enough that nobody guesses it. */
const BYTES = 32

/** A random text, made on create where none is sent. */
export const token = textType({
  name: 'token',
  make: (random) => Buffer.from(random(BYTES)).toString('base64url'),
})
