import { z } from 'zod'
import type { ApiKey } from './api-keys.ts'

/** A key as administrators see one. */
export const apiKeyRecord = z.strictObject({
  id: z.string().describe('UUID'),
  name: z.string(),
  roles: z.array(z.string()).readonly(),
  createdAt: z.string().describe('RFC 3339, UTC'),
  createdBy: z.string().nullable().describe('The username of whoever made it'),
  expiresAt: z.string().nullable().describe('RFC 3339, UTC; null for a key that is good until it is removed'),
  lastUsedAt: z.string().nullable().describe('To the minute; null for a key that nobody used'),
})

/** A key with its roles. */
export const recordOf = (key: ApiKey, roles: readonly string[]): z.output<typeof apiKeyRecord> => ({
  id: key.id,
  name: key.name,
  roles,
  createdAt: key.createdAt,
  createdBy: key.createdBy,
  expiresAt: key.expiresAt,
  lastUsedAt: key.lastUsedAt,
})
