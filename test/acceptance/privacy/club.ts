import { expect } from 'vitest'
import type { TestAccount, TestKernel } from '../../kit/test-kernel.ts'

export const CLUB_BASE = '/api/v1/club'
const OPEN = "list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*']"

/** A club whose members are known by an address and a telephone, and have agents, who are other people. */
export const club = ({ version = '1', more = '' } = {}) => `
domain:
  name: club
  version: '${version}'
  resources:
    Member:
      features: { audit: true, versioning: true, softDelete: true }
      history:
        events:
          noted: { on: update, label: Noted, detail: '{remark}', capture: [remark] }
          moved: { on: fieldChange, field: agent, label: Moved, detail: 'to {agent}', capture: [agent] }
      object:
        name: { type: string, privacy: { classification: identity } }
        email: { type: email, privacy: { classification: contact, subjectIdentifier: true } }
        phone: { type: phone, privacy: { classification: contact } }
        agent: { type: email, privacy: { subjectIdentifier: true } }
        born: { type: date, privacy: { pii: true } }
        serial: { type: string, minLength: 3, immutable: true, privacy: { classification: identity } }
        pin: { type: token, hidden: true }
        remark: string
        createdAt: { type: datetime, autoNow: create }
        updatedAt: { type: datetime, autoNow: update }
        deletedAt: datetime
        ${more}
      permissions: { ${OPEN}, fields: { remark: { read: [keeper] } } }
    Visit:
      features: { versioning: true, softDelete: true }
      object: { text: { type: string, privacy: { pii: true } }, deletedAt: datetime }
      relationships: { member: { type: belongsTo, target: Member } }
      permissions: { ${OPEN} }
    Guest:
      object: { email: { type: email, privacy: { subjectIdentifier: true } } }
      relationships: { member: { type: belongsTo, target: Member } }
      permissions: { ${OPEN} }
  privacy:
    permissions: { access: [keeper, subject], export: [keeper], erase: [keeper], consent: [keeper], retention: [keeper], restrict: [keeper], rectify: [keeper] }
    classifications: { identity: {}, contact: {} }
    subjectIdentifier: { primary: email, alternates: [phone] }
    anonymization: { rules: { name: $pseudonym, email: $pseudonym, born: $fuzzyDate(30d) } }
    consent: [{ purpose: study, resources: [Visit] }]
    retention:
      - { category: identity, hold: true, regulation: Tax Act, when: "name == 'held'" }
      - { category: contact, duration: 1y, action: archive }
`

/** What tests of the club ask, as somebody. */
export function clubOf(server: () => TestKernel, keeper: () => TestAccount) {
  const send = (method: string, path: string, body?: unknown, token = keeper().token) =>
    server().request(method, `${CLUB_BASE}/${path}`, { token, ...(body !== undefined && { body }) })
  const about = (identifier: string, suffix = '') =>
    `privacy/subject/${encodeURIComponent(identifier)}${suffix}`
  return {
    send,
    about,
    ask: (identifier: string, suffix: string, body: object) =>
      send(suffix === '/rectify' ? 'PATCH' : 'POST', about(identifier, suffix), { reason: 'x', ...body }),
    async member(values: object): Promise<string> {
      const { status, body } = await send('POST', 'members', values)
      expect([status, body.errors]).toEqual([201, undefined])
      return body.data.id
    },
    shown: async (id: string) => (await send('GET', `members/${id}`)).body.data,
  }
}
