import { type Action, defineAction, Reply } from '@svc/kernel'
import { StoreConflict } from '@svc/store/contract'
import { z } from 'zod'
import { apiKeyRecord } from '../../api-key-record.ts'
import { insertKey } from '../../api-keys.ts'
import type { Auth } from '../../auth.ts'
import { authErrors, fieldFault } from '../../errors.ts'
import { roleName } from '../../fields.ts'
import { ADMIN } from '../../roles.ts'
import { timestamp } from '../../rows.ts'

const input = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, '1 to 64 letters, digits, dots, underscores or hyphens')
    .describe('What callers with this key are called, after `key:`'),
  roles: z.array(roleName).max(100).default([]),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'A moment in the future, as RFC 3339 writes it' })
    .nullable()
    .default(null)
    .describe('From when on the key is no good'),
})
const output = apiKeyRecord.extend({ key: z.string().describe('The key itself; it is shown this once') })

/** Makes a key for a machine. */
export function createApiKey(auth: Auth): Action {
  const { prefix, identities, env, newId, log } = auth
  return defineAction<z.output<typeof input>, z.output<typeof output>>({
    name: 'admin.api-keys.create',
    summary: 'Makes an API key and shows it, once',
    access: [ADMIN],
    routes: [`POST ${prefix}/admin/api-keys`],
    input,
    output,
    notes: { status: 201 },
    async handle({ name, roles: wanted, expiresAt }, { caller }) {
      const roles = [...new Set(wanted)].toSorted()
      const expiry = expiresAt === null ? null : futureOf(expiresAt, env.now())
      const made = { id: newId(), name, roles, createdBy: caller.username, expiresAt: expiry }
      const key = await identities
        .transaction(caller, (transaction) => insertKey(transaction, env, made))
        .catch(takenAsDuplicate)
      log.info({ keyId: made.id, roles, by: caller.id }, 'auth.api_key_created')
      return Reply.created({ ...made, createdAt: timestamp(env.now()), lastUsedAt: null, key })
    },
  })
}

function futureOf(written: string, now: number): string {
  const moment = Date.parse(written)
  if (moment > now) return timestamp(moment)
  throw fieldFault('expiresAt', 'min', 'This moment is past: the key would be no good')
}

function takenAsDuplicate(error: unknown): never {
  if (!(error instanceof StoreConflict) || error.kind !== 'unique') throw error
  throw authErrors.DUPLICATE({ message: 'An API key with this name exists already' })
}
