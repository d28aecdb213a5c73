import { decimalsOf, writeNumber } from '../../formats/number.ts'
import { isFinite, NUMBER_FORMATS } from '../../formats/numbers.ts'
import type { Pipe } from '../pipe.ts'

const { decimal, percentage } = NUMBER_FORMATS

/** Pipes of numbers besides the formats. */
export const NUMBER_PIPES: Readonly<Record<string, Pipe>> = {
  /** As a decimal, with the decimals that it has unless some are asked for. */
  number: {
    takes: decimal.takes,
    ...(decimal.inspect && { inspect: decimal.inspect }),
    apply(value, args, { formats, of }) {
      if (args.length > 0) return decimal.write(value, args, formats, of)
      return isFinite(value) ? writeNumber(value, formats, decimalsOf(value)) : undefined
    },
  },
  percent: {
    takes: percentage.takes,
    ...(percentage.inspect && { inspect: percentage.inspect }),
    apply: (value, args, { formats, of }) => percentage.write(value, args, formats, of),
  },
}
