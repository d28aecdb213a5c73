import { DurationText } from '@svc/automation/contract'
import { z } from 'zod'
import { EncryptionDefinition } from './encryption/definition.ts'

/** What an erase may do with the records of a person. */
export const METHODS = ['anonymize', 'pseudonymize', 'delete'] as const
export type Method = (typeof METHODS)[number]

/** What may be permitted by itself. */
export const RIGHTS = [
  'access',
  'export',
  'erase',
  'rectify',
  'restrict',
  'consent',
  'retention',
  'log',
] as const
export type Right = (typeof RIGHTS)[number]

/** What a sweep does with what is due. */
export const RETENTION_ACTIONS = ['anonymize', 'archive', 'delete'] as const
export type RetentionAction = (typeof RETENTION_ACTIONS)[number]

const name = z.string().min(1)
const names = z.array(name)

const Classification = z.strictObject({
  description: z.string().optional().describe('What its fields have in common.'),
  retention: DurationText.optional().describe(
    'How long they are kept, where an entry of retention does not say.',
  ),
})

const SubjectIdentifier = z.strictObject({
  primary: name.optional().describe('The name of the fields that a person is known by first.'),
  alternates: names.optional().describe('The names of others, in the order in which they are asked.'),
})

const Anonymization = z.strictObject({
  method: z.enum(METHODS).optional().describe('What an erase does unless it says otherwise: anonymize.'),
  rules: z
    .record(name, z.json())
    .optional()
    .describe(
      'What stands in place of an erased value, by <Resource>.<field>, <field>, or default: a value, $pseudonym, $hash6, $fuzzyDate(<duration>) or $preserve; null unless said.',
    ),
})

const Permissions = z.union([
  names,
  z.strictObject(
    Object.fromEntries(RIGHTS.map((right) => [right, names.optional()])) as Record<
      Right,
      z.ZodOptional<typeof names>
    >,
  ),
])

const Consent = z.strictObject({
  purpose: name.max(100).describe('What the data is used for.'),
  description: z.string().optional().describe('What that means, in words.'),
  required: z.boolean().optional().describe('Whether the purpose is in force whatever a person says.'),
  withdrawable: z
    .boolean()
    .optional()
    .describe('Whether it can be withdrawn: true unless said, false where it is required.'),
  resources: names
    .optional()
    .describe(
      "Resources that may hold a person's records only while one of the purposes naming them is in force.",
    ),
})
export type ConsentDefinition = z.output<typeof Consent>

const Retention = z.strictObject({
  category: name.describe('The classification of the fields.'),
  duration: DurationText.optional().describe(
    'How long they are kept: that of the classification unless said.',
  ),
  action: z.enum(RETENTION_ACTIONS).optional().describe('What is done then.'),
  from: name
    .optional()
    .describe('What the time counts from: recordCreation (unless said), lastActivity, or a field of a date.'),
  resources: names.optional().describe('The resources: all with fields of the category unless said.'),
  when: name.optional().describe('An expression that has to hold of the record.'),
  hold: z.boolean().optional().describe('Whether the entry keeps the data from being erased until then.'),
  regulation: z.string().min(1).optional().describe('The law behind a hold.'),
})
export type RetentionDefinition = z.output<typeof Retention>

/** The key `privacy` of a domain. */
export const PrivacyDefinition = z
  .strictObject({
    enabled: z.boolean().optional().describe('Whether all of it is in force: true unless said.'),
    classifications: z.record(name, Classification).optional().describe('Kinds of personal data, by name.'),
    subjectIdentifier: SubjectIdentifier.optional().describe('The fields that a person is found by.'),
    anonymization: Anonymization.optional().describe('What an erase puts in place of values.'),
    encryption: EncryptionDefinition.optional(),
    consent: z.array(Consent).optional().describe('The purposes that people consent to.'),
    retention: z.array(Retention).optional().describe('How long data is kept, and what is done then.'),
    permissions: Permissions.optional().describe(
      'Roles that may do all of it, or by access, export, erase, rectify, restrict, consent, retention and log; subject is the person. [admin] unless said.',
    ),
  })
  .describe('Personal data: whose it is, and what becomes of it.')
export type PrivacyDefinition = z.output<typeof PrivacyDefinition>

/** The key `privacy` of a resource. */
export const SubjectDefinition = z
  .strictObject({
    subject: names
      .optional()
      .describe(
        'The relationships that lead to the person a record is about: all that lead to resources unless said.',
      ),
    erase: z.enum(METHODS).optional().describe('What an erase does with its records, whatever it says.'),
  })
  .describe('Whose the records are, and what an erase does with them.')
export type SubjectDefinition = z.output<typeof SubjectDefinition>

/** The attribute `privacy` of a field. */
export const FieldPrivacy = z.strictObject({
  classification: name.optional().describe('One of the classifications that the domain declares.'),
  pii: z.boolean().optional().describe('Whether the values tell who a person is.'),
  sensitive: z.boolean().optional().describe('Whether the values could harm a person.'),
  phi: z.boolean().optional().describe('Whether the values speak of the health of a person.'),
  encrypted: z.boolean().optional().describe('Whether the values are stored encrypted.'),
  subjectIdentifier: z.boolean().optional().describe('Whether the values name the person a record is about.'),
})
export type FieldPrivacy = z.output<typeof FieldPrivacy>
