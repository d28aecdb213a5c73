/** Permissions that let anybody do anything. */
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"

/** A clinic, whose patients have visits, invoices and messages; further keys of its `privacy` may be laid over. */
export const clinic = ({ privacy = '', version = '1', more = '', identifies = true } = {}) => `
domain:
  name: clinic
  version: '${version}'
  resources:
    Patient:
      features: { softDelete: true, audit: true, versioning: true, search: true }
      object:
        name: { type: string, required: true, label: Full name, privacy: { classification: identity, pii: true } }
        email: { type: email, unique: true, privacy: { classification: contact, pii: true, subjectIdentifier: ${identifies} } }
        phone: { type: phone, privacy: { classification: contact } }
        born: { type: date, privacy: { sensitive: true } }
        visits: { type: integer, default: 0, privacy: { pii: true } }
        remark: string
        pin: { type: token, hidden: true }
        createdAt: { type: datetime, autoNow: create }
        updatedAt: { type: datetime, autoNow: update }
        deletedAt: datetime
      relationships:
        referredBy: { type: belongsTo, target: Patient }
      permissions: ${OPEN}
      privacy: { subject: [] }
    Visit:
      features: { audit: true }
      object: { complaint: { type: text, privacy: { phi: true } }, room: string }
      relationships: { patient: { type: belongsTo, target: Patient, onDelete: cascade } }
      permissions: ${OPEN}
    Note:
      object: { text: { type: text, privacy: { pii: true } } }
      relationships: { visit: { type: belongsTo, target: Visit, onDelete: cascade } }
      permissions: ${OPEN}
    Message:
      object:
        sender: { type: email, privacy: { subjectIdentifier: true } }
        receiver: { type: email, privacy: { subjectIdentifier: true } }
        text: text
      permissions: ${OPEN}
    Staff:
      object: { title: string, diary: { type: text, privacy: { pii: true } } }
      relationships: { user: { type: belongsTo, target: User } }
      permissions: ${OPEN}
      privacy: { subject: [user] }
    Holder:
      object: { email: { type: email, privacy: { subjectIdentifier: true } } }
      permissions: ${OPEN}
    Paper:
      object: { title: string }
      relationships: { holder: { type: belongsTo, target: Holder, onDelete: restrict } }
      permissions: ${OPEN}
    Visitor:
      features: { audit: true }
      object: { email: { type: email, privacy: { subjectIdentifier: true } } }
      permissions: ${OPEN}
    ${more}
  privacy:
    permissions: { access: [dpo, subject], export: [dpo], erase: [dpo, admin], log: [dpo], consent: [dpo], retention: [dpo], restrict: [dpo], rectify: [dpo] }
    classifications: { identity: { description: Who somebody is }, contact: {} }
    subjectIdentifier: { primary: email, alternates: [phone] }
    ${privacy}
`

export const BASE = '/api/v1/clinic'
export const ANN = 'ann@example.org'
export const BOB = 'bob@example.org'

/** Where somebody's data is asked for. */
export const about = (identifier: string, suffix = '') =>
  `${BASE}/privacy/subject/${encodeURIComponent(identifier)}${suffix}`
