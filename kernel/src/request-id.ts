import { randomUUID } from 'node:crypto'

/** How many ids begin alike: their last six digits count. */
const SERIES = 0x1000000

let beginning = ''
let counter = SERIES

/** A name for one request in the form of a UUID: unique, and neither ordered nor secret. */
export function newRequestId(): string {
  if (counter === SERIES) {
    beginning = randomUUID().slice(0, 30)
    counter = 0
  }
  const digits = (SERIES + counter).toString(16).slice(1)
  counter += 1
  return beginning + digits
}
