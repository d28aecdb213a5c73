import type { Action } from '@svc/kernel'
import type { Auth } from '../auth.ts'
import { createApiKey } from './api-keys/create.ts'
import { listApiKeys } from './api-keys/list.ts'
import { removeApiKey } from './api-keys/remove.ts'

/** What administrators do about the keys of machines. */
export const apiKeyActions = (auth: Auth): readonly Action[] =>
  [listApiKeys, createApiKey, removeApiKey].map((make) => make(auth))
