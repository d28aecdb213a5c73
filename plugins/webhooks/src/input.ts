import type { Accounts, Account } from '@svc/auth/contract'
import { type Caller, errors } from '@svc/kernel'
import type { Outbound } from '@svc/outbound/contract'
import { z } from 'zod'
import { PATTERN } from './patterns.ts'

const events = z
  .array(z.string().max(255).regex(PATTERN, 'a name of events such as svc.shop.*.created'))
  .min(1)
  .max(50)
const headers = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'the name of a header')
    .refine((name) => !OWN.test(name), 'a header that the service sets itself'),
  z
    .string()
    .max(4000)
    .regex(/^[^\r\n\0]*$/, 'one line'),
)
/** What the message itself says, or the connection. */
const OWN =
  /^(?:host|content-.*|transfer-encoding|connection|webhook-.*|expect|te|trailer|upgrade|user-agent)$/i

const fields = {
  url: z.string().min(1).max(2000).describe('Where events are posted to: https'),
  description: z.string().max(1000).nullable(),
  events: events.describe('Names of events, `*` for a part of a name or for all that follows'),
  as: z.string().describe('The username of the account whose reading rights decide what is told'),
  headers: headers.describe('Further headers, by name; values are shown to nobody'),
  enabled: z.boolean(),
}

export const NewEndpoint = z.strictObject({
  url: fields.url,
  events: fields.events,
  description: fields.description.default(null),
  as: fields.as.optional(),
  headers: fields.headers.default({}),
  enabled: fields.enabled.default(true),
})

export const ChangedEndpoint = z
  .strictObject({ id: z.string(), ...fields })
  .partial()
  .required({ id: true })

const fault = (field: string, rule: string, message: string) =>
  errors.VALIDATION_ERROR({ errors: [{ field, rule, message }] })

/** Throws VALIDATION_ERROR, rule `address`, where nothing may be sent to a url as it is written. */
export function assertUrl(url: string, outbound: Outbound, isConfidential: boolean): void {
  const wrong = outbound.judge(url, { isConfidential })
  if (wrong === undefined) return
  throw fault(
    'url',
    'address',
    `the url ${wrong.message}${wrong.hint === undefined ? '' : `: ${wrong.hint}`}`,
  )
}

/** The account that an endpoint reads as: the caller's own unless said. Throws VALIDATION_ERROR. */
export async function accountNamed(
  as: string | undefined,
  caller: Caller,
  accounts: Pick<Accounts, 'find'>,
): Promise<Account> {
  const named = as ?? caller.username
  const account = named === null ? undefined : await accounts.find(named)
  if (account?.status === 'active') return account
  if (as === undefined)
    throw fault('as', 'required', 'Name the account whose rights count: you have none of your own')
  throw fault('as', 'reference', `There is no active account '${as}'`)
}
