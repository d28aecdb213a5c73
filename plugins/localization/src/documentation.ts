import type { Documentation } from '@svc/domain/contract'

const LOCALE = { type: 'string', description: 'One of the supported locales; required' }

/** What documents say of the actions beside their schemas. */
export const LOCALIZATION_DOCUMENTATION: Documentation = {
  operations: {
    missing: { query: { locale: LOCALE }, failures: [400] },
    export: {
      query: {
        locale: LOCALE,
        format: { type: 'string', enum: ['yaml', 'xliff', 'csv'], description: 'The form of the file' },
        version: { type: 'string', enum: ['1.2', '2.0'], description: 'The version of XLIFF' },
      },
      failures: [400],
    },
    import: {
      description:
        'Takes what an export has made of the texts of a locale, told by its content, in one transaction; every server has the texts within a second.',
      headers: ['Idempotency-Key'],
      failures: [400, 409, 413, 415, 422],
    },
  },
}
