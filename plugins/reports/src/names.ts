import { z } from 'zod'

/** What views, reports, dashboards, widgets and parameters are called. */
export const Name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, {
    error: 'must be a letter, and up to 62 letters, digits and _ behind it',
  })
  .describe('A letter, and up to 62 letters, digits and _.')
