import type { Documentation } from '@svc/domain/contract'
import { OPERATIONS } from './tables.ts'

const format = {
  format: { type: 'string', enum: ['json', 'csv'], description: 'json unless said.' },
}

/** What documents say of the actions of personal data. */
export const documentation: Documentation = {
  operations: {
    access: {
      description:
        'The records of the person by resource, with what is kept beside them. An identifying value of somebody else is `***`.',
      query: format,
      answers: {
        description: 'Everything that is kept about the person',
        data: { type: 'object', properties: { subject: { type: 'object' }, resources: { type: 'object' } } },
      },
      failures: [400, 404, 409],
    },
    erase: {
      description:
        'Replaces, pseudonymizes or removes what is kept about the person, in one transaction. With `dryRun` nothing is changed, and the answer says what the same call would do. What a law holds is named as `blockers`, and refuses the call.',
      headers: ['Idempotency-Key'],
      body: {
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            method: { type: 'string', enum: ['anonymize', 'pseudonymize', 'delete'] },
            reason: { type: 'string', maxLength: 500, description: 'Required, but for a dry run.' },
            retainAudit: { type: 'boolean', default: false },
            retainHistory: { type: 'boolean', default: false },
            excludeResources: { type: 'array', items: { type: 'string' } },
            dryRun: { type: 'boolean', default: false },
            account: {
              type: 'boolean',
              default: false,
              description:
                'For administrators: the account with this address goes too, and its name in ledgers and in the log of requests becomes the pseudonym.',
            },
          },
        },
      },
      answers: {
        description: 'What was done, or would be',
        data: {
          type: 'object',
          properties: {
            affectedResources: { type: 'array', items: { type: 'object' } },
            blockers: { type: 'array', items: { type: 'object' } },
          },
        },
      },
      failures: [400, 404, 409, 422],
    },
    consent: {
      description: 'Each purpose with the last word on it. A required purpose is always in force.',
      answers: {
        description: 'Purposes',
        data: { type: 'object', properties: { items: { type: 'array', items: { type: 'object' } } } },
      },
      failures: [400, 409],
    },
    'consent-grant': {
      headers: ['Idempotency-Key'],
      body: {
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['purpose'],
          properties: {
            purpose: { type: 'string' },
            grantedBy: { type: 'string', maxLength: 200, description: 'subject unless said.' },
            evidence: { description: 'Text or an object, at most 2000 characters.' },
          },
        },
      },
      answers: { description: 'The entry', data: { type: 'object' } },
      failures: [400, 409, 422],
    },
    'consent-withdraw': {
      headers: ['Idempotency-Key'],
      body: {
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['purpose', 'reason'],
          properties: { purpose: { type: 'string' }, reason: { type: 'string', maxLength: 500 } },
        },
      },
      answers: { description: 'The entry', data: { type: 'object' } },
      failures: [400, 409, 422],
    },
    retention: {
      headers: ['Idempotency-Key'],
      description:
        'Sees to everything whose time is over, in slices, or counts it alone. What is held or restricted is passed over.',
      body: {
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: { dryRun: { type: 'boolean', default: false } },
        },
      },
      answers: {
        description: 'What was due of each category and resource, done, and passed over',
        data: {
          type: 'object',
          properties: {
            dryRun: { type: 'boolean' },
            items: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  category: { type: 'string' },
                  resource: { type: 'string' },
                  action: { type: 'string', enum: ['anonymize', 'archive', 'delete'] },
                  due: { type: 'integer' },
                  done: { type: 'integer' },
                  held: { type: 'integer' },
                },
              },
            },
          },
        },
      },
      failures: [422],
    },
    restrict: {
      description:
        'Keeps everybody, the system included, from operations on the records of the person, and on those that come to be: one record is 403 RESTRICTED, rows of a bulk fail alone. `list` takes records out of lists, counts, includes, views, reports and dashboards, `export` out of CSV and PDF, `automate` out of schedules, workflows, notifications and templates. Again replaces. These endpoints go on.',
      headers: ['Idempotency-Key'],
      body: {
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['reason'],
          properties: {
            reason: { type: 'string', maxLength: 500 },
            restrictedOperations: {
              type: 'array',
              items: { type: 'string', enum: [...OPERATIONS] },
              description: 'All but get and list unless said.',
            },
            allowedOperations: {
              type: 'array',
              items: { type: 'string', enum: [...OPERATIONS] },
              description: 'Those that are left all the same.',
            },
          },
        },
      },
      answers: {
        description: 'What is restricted, and how many records there are',
        data: {
          type: 'object',
          properties: {
            restricted: { type: 'boolean', const: true },
            restrictedOperations: { type: 'array', items: { type: 'string' } },
            since: { type: 'string', format: 'date-time' },
            records: { type: 'integer' },
          },
        },
      },
      failures: [400, 404, 409, 422],
    },
    unrestrict: {
      description: 'Lifts a restriction; it is fine where there is none.',
      headers: ['Idempotency-Key'],
      body: {
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['reason'],
          properties: { reason: { type: 'string', maxLength: 500 } },
        },
      },
      answers: {
        description: 'Nothing is restricted',
        data: { type: 'object', properties: { restricted: { type: 'boolean', const: false } } },
      },
      failures: [400, 409, 422],
    },
    rectify: {
      description:
        'An ordinary update of personal fields of one record, in which the permission of privacy stands for those of the record, and `immutable` does not count.',
      body: {
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['resource', 'recordId', 'corrections', 'reason'],
          properties: {
            resource: { type: 'string' },
            recordId: { type: ['string', 'integer'] },
            corrections: { type: 'object' },
            reason: { type: 'string', maxLength: 500 },
          },
        },
      },
      answers: {
        description: 'What was corrected',
        data: { type: 'object', properties: { corrected: { type: 'array', items: { type: 'string' } } } },
      },
      failures: [400, 404, 409, 422],
    },
    export: {
      description: 'The records of the person by resource, the account and what was consented to.',
      query: format,
      answers: {
        description: 'A copy to take along',
        data: { type: 'object', properties: { subject: { type: 'object' }, resources: { type: 'object' } } },
      },
      failures: [400, 404, 409],
    },
  },
}
