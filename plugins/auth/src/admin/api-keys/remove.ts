import { type Action, defineAction, errors, Reply } from '@svc/kernel'
import { z } from 'zod'
import { removeKey } from '../../api-keys.ts'
import type { Auth } from '../../auth.ts'
import { isId, keyOf } from '../../fields.ts'
import { ADMIN } from '../../roles.ts'

const input = z.strictObject({ key: z.string().describe('The id') })

/** Removes an API key, from the next request on. */
export function removeApiKey({ prefix, identities, log }: Auth): Action {
  return defineAction<z.output<typeof input>, never>({
    name: 'admin.api-keys.remove',
    summary: 'Removes an API key, from the next request on',
    access: [ADMIN],
    routes: [`DELETE ${prefix}/admin/api-keys/:key`],
    input,
    async handle({ key }, { caller }) {
      const id = keyOf(key)
      const isGone =
        isId(id) && (await identities.change(caller, id, (transaction) => removeKey(transaction, id)))
      if (!isGone) throw errors.NOT_FOUND({ message: 'No API key has this id' })
      log.info({ keyId: id, by: caller.id }, 'auth.api_key_removed')
      return Reply.empty()
    },
  })
}
