import { z } from 'zod'

/** Where the management socket stands. */
export const config = z.strictObject({
  socket: z
    .string()
    .min(1)
    .optional()
    .describe('Path of the Unix socket, at most 107 bytes; without it no socket is opened'),
})
