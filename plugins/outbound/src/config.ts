import { z } from 'zod'
import { readAllowance } from './allowances.ts'

const allowances = z.array(
  z.string().superRefine((entry, context) => {
    const read = readAllowance(entry)
    if ('fault' in read) context.addIssue({ code: 'custom', message: read.fault })
  }),
)

/** The configuration section `outbound`. */
export const config = z.strictObject({
  allow_private: allowances
    .default([])
    .describe(
      'What definitions may make the server send to although it is not public, and without TLS: names, `*.names`, addresses and ranges such as `10.0.0.0/8`, each with `:port` where that port alone is meant; the server itself needs one with its port',
    ),
  allow_addresses: allowances.default([]).describe('Another name of `allow_private`'),
})
