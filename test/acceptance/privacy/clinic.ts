import { randomBytes } from 'node:crypto'
import type { TestKernel } from '../../kit/test-kernel.ts'

/** A key as operators write one, with its id. */
export const newKey = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`

/** The variable that definitions of these tests name; `env_allow` lets them. */
export const VARIABLE = 'CLINIC_KEYS'
process.env[VARIABLE] = newKey('one')

export const config = { domain: { env_allow: [VARIABLE, 'CLINIC_KEYS_*', 'SVC_DOMAIN_*'] } }

export const ENCRYPTION = `encryption: { provider: aes256gcm, keyVariable: ${VARIABLE} }`

export const OPEN = `{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`

/** A field as it is written where its values are encrypted. */
export const sealed = (attributes: string): string => `{ ${attributes}, privacy: { encrypted: true } }`

export const PATIENT = `name: string
        ssn: { type: string, unique: true, privacy: { encrypted: true } }
        email: { type: email, privacy: { encrypted: true, pii: true, subjectIdentifier: true } }
        ward: { type: string, privacy: { encrypted: true } }
        born: { type: date, privacy: { encrypted: true } }
        note: { type: text, maxLength: 5000, privacy: { encrypted: true } }
        weight: { type: decimal, precision: 8, scale: 2, privacy: { encrypted: true } }
        file: { type: json, privacy: { encrypted: true } }`

/** A clinic; what is not said is as usual. */
export const clinic = ({
  version = '1',
  object = PATIENT,
  more = 'indexes: [{ fields: [ward] }]',
  privacy = ENCRYPTION,
  features = '{ audit: true, versioning: true, search: true, export: true, import: true }',
  others = '',
  domain = '',
} = {}): string => `
domain:
  name: clinic
  version: '${version}'
  ${privacy === '' ? '' : `privacy:\n    ${privacy}`}
  ${domain}
  resources:
    Patient:
      features: ${features}
      object:
        ${object}
      ${more}
      permissions: ${OPEN}
    Visit:
      object: { patientId: uuid, at: date }
      relationships: { patient: { type: belongsTo, target: Patient, foreignKey: patientId } }
      permissions: ${OPEN}
    ${others}
`

export const PATIENTS = '/api/v1/clinic/patients'

export const sender =
  (server: () => TestKernel) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server().request(method, path, { token: server().admin, headers, ...(body !== undefined && { body }) })
