import { z } from 'zod'

/** Where the management socket stands. */
export const config = z.strictObject({
  socket: z
    .union([z.string().min(1), z.literal(false)])
    .optional()
    .describe(
      'Path of the Unix socket, at most 107 bytes; unless said, `svc.sock` beside the SQLite file, or beside the configuration; false: no socket',
    ),
})
