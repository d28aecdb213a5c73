import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const definition = (privacy: string, { person = '', letter = '' } = {}) => `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Person:
      object:
        name: { type: string, privacy: { classification: identity, pii: true } }
        email: { type: email, unique: true, privacy: { classification: contact, pii: true, subjectIdentifier: true } }
        phone: { type: phone, privacy: { classification: contact } }
        nick: { type: string, unique: true, privacy: { pii: true } }
        birthday: { type: date, privacy: { sensitive: true } }
        age: { type: integer, privacy: { pii: true } }
        town: string
        createdAt: { type: datetime, autoNow: create }
      ${person}
    Letter:
      object: { number: { type: integer, primaryKey: true }, text: { type: text, privacy: { classification: mail } } }
      relationships: { person: { type: belongsTo, target: Person }, copies: { type: hasMany, target: Letter, foreignKey: ofId }, of: { type: belongsTo, target: Letter } }
      ${letter}
  privacy:
    classifications: { identity: { retention: 6y }, contact: {}, mail: { description: Letters } }
${privacy.replace(/^/gm, '    ')}
`

/** What is wrong: what is written, where it is told, and what would be right. */
const WRONG: readonly (readonly [
  ruling: string,
  what: string,
  privacy: string,
  path: string,
  told: RegExp,
])[] = [
  ['P1', 'an unknown method', 'anonymization: { method: forget }', 'anonymization.method', /anonymize/],
  ['P2', 'anybody', "permissions: ['*']", 'permissions.0', /'\*' is no role.*subject/],
  ['P2', 'an owner', 'permissions: { access: [owner] }', 'permissions.access.0', /'owner' is no role/],
  ['P2', 'whoever signed in', 'permissions: { erase: [authenticated] }', 'permissions.erase.0', /no role/],
  ['P2', 'an expression', "permissions: user.id == 'x'", 'permissions', /list|must/],
  ['P2', 'an expression in a list', 'permissions: ["hasRole(\'x\')"]', 'permissions.0', /no role/],
  [
    'P3',
    'a name of no field',
    'subjectIdentifier: { primary: emial }',
    'subjectIdentifier.primary',
    /no resource has a field 'emial'.*email/,
  ],
  [
    'P3',
    'another of no field',
    'subjectIdentifier: { primary: email, alternates: [phone, fone] }',
    'subjectIdentifier.alternates.1',
    /'fone'.*phone/,
  ],
  [
    'P11',
    'an unknown function',
    'anonymization: { rules: { name: $pseudonim } }',
    'anonymization.rules.name',
    /'\$pseudonim'.*\$pseudonym/,
  ],
  [
    'P11',
    'an unknown field',
    'anonymization: { rules: { nmae: x } }',
    'anonymization.rules.nmae',
    /no resource has a field 'nmae'.*name/,
  ],
  [
    'P11',
    'an unknown field of a resource',
    'anonymization: { rules: { Letter.name: x } }',
    'anonymization.rules.Letter.name',
    /'Letter.name'/,
  ],
  [
    'P11',
    'a value of another type',
    'anonymization: { rules: { age: old } }',
    'anonymization.rules.age',
    /does not fit.*Person\.age/,
  ],
  [
    'P11',
    'a value for all of a unique field',
    'anonymization: { rules: { nick: nobody } }',
    'anonymization.rules.nick',
    /unique.*\$pseudonym/,
  ],
  [
    'P11',
    'a function without a form',
    'anonymization: { rules: { Person.age: $pseudonym } }',
    'anonymization.rules.Person.age',
    /no form for integer/,
  ],
  [
    'P11',
    'days of a text',
    'anonymization: { rules: { name: $fuzzyDate(30d) } }',
    'anonymization.rules.name',
    /no form for string/,
  ],
  [
    'P11',
    'a length that is none',
    'anonymization: { rules: { birthday: $fuzzyDate(ages) } }',
    'anonymization.rules.birthday',
    /duration/,
  ],
  [
    'P11',
    'a person who stays known',
    'anonymization: { rules: { email: $preserve } }',
    'anonymization.rules.email',
    /would keep 'Person.email'.*\$hash6/,
  ],
  [
    'P11',
    'a person who stays known, by default',
    'anonymization: { rules: { default: $preserve } }',
    'anonymization.rules.default',
    /would keep 'Person.email'/,
  ],
  [
    'P21',
    'consent for a resource that is not there',
    'consent: [{ purpose: news, resources: [Persn] }]',
    'consent.0.resources.0',
    /no resource 'Persn'.*Person/,
  ],
  [
    'P21',
    'two purposes of one name',
    'consent: [{ purpose: news }, { purpose: news }]',
    'consent.1.purpose',
    /two purposes 'news'/,
  ],
  [
    'P23',
    'an unknown category',
    'retention: [{ category: contct, duration: 1y, action: delete }]',
    'retention.0.category',
    /'contct'.*contact/,
  ],
  ['P23', 'no time', 'retention: [{ category: contact, action: delete }]', 'retention.0', /how long/],
  ['P23', 'no action', 'retention: [{ category: identity }]', 'retention.0', /needs 'action'/],
  [
    'P23',
    'a hold without a law',
    'retention: [{ category: identity, hold: true }]',
    'retention.0',
    /needs 'regulation'/,
  ],
  [
    'P23',
    'a time that is none',
    'retention: [{ category: identity, duration: ages, action: delete }]',
    'retention.0.duration',
    /duration/,
  ],
  [
    'P23',
    'an archive without softDelete',
    'retention: [{ category: identity, action: archive }]',
    'retention.0.action',
    /softDelete/,
  ],
  [
    'P23',
    'nothing to count from',
    'retention: [{ category: mail, duration: 1y, action: delete }]',
    'retention.0.from',
    /'Letter' has nothing to count from.*createdAt/,
  ],
  [
    'P23',
    'a date that is none',
    'retention: [{ category: identity, action: delete, from: brithday }]',
    'retention.0.from',
    /'brithday'.*birthday/,
  ],
  [
    'P23',
    'a condition that cannot be asked',
    'retention: [{ category: identity, action: delete, when: twon == 1 }]',
    'retention.0.when',
    /twon.*town/,
  ],
  [
    'P23',
    'a resource without the category',
    'retention: [{ category: identity, action: delete, resources: [Letter] }]',
    'retention.0.resources.0',
    /'Letter' has no field of 'identity'/,
  ],
]

describe('what is said of personal data', () => {
  const server = useTestKernel({ store: STORES[0]! })
  const submit = (content: string) =>
    server().request('POST', '/api/v1/domains', { token: server().admin, body: { content } })

  it.each(WRONG)('%s: %s is PARSE_ERROR, with its place', async (_, __, privacy, path, told) => {
    const { status, body } = await submit(definition(privacy))
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    const error = body.errors.find((one: { path: string }) => one.path === `domain.privacy.${path}`)
    expect(JSON.stringify(error ?? body.errors)).toMatch(told)
    expect(error?.line).toBeGreaterThan(0)
  })

  it('P23: more conditions of entries than are read are PARSE_ERROR, with the entry', async () => {
    const object = {
      note: { type: 'string', privacy: { classification: 'notes' } },
      createdAt: { type: 'datetime', autoNow: 'create' },
    }
    const resources = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`Note${at}`, { object }]))
    const entry = { category: 'notes', duration: '1y', action: 'delete', when: "note == 'x'" }
    const privacy = { classifications: { notes: {} }, retention: Array.from({ length: 60 }, () => entry) }
    const domain = { name: 'notes', version: '1', resources, privacy }
    const { status, body } = await submit(JSON.stringify({ domain }))
    expect([status, body.error_code, body.errors]).toMatchObject([
      422,
      'PARSE_ERROR',
      [{ path: 'domain.privacy.retention.50.when', message: expect.stringContaining('more than 10000') }],
    ])
  })

  it.each([
    [
      'P1',
      'privacy: { classification: secrt }',
      'Letter',
      'classifications',
      /no classification 'secrt', which 'Letter.extra'/,
    ],
  ])('%s: an undeclared classification is PARSE_ERROR', async (_, privacy, __, path, told) => {
    const content = definition('').replace('text: {', `extra: { type: string, ${privacy} }, text: {`)
    const { status, body } = await submit(content)
    expect([status, body.errors[0].path]).toEqual([422, `domain.privacy.${path}`])
    expect(body.errors[0].message).toMatch(told)
  })

  it.each([
    ['peson', /no relationship 'peson'/, /person/],
    ['copies', /'copies' is no belongsTo/, /./],
  ])('P5: subject: [%s] is PARSE_ERROR', async (name, told, hint) => {
    const { status, body } = await submit(definition('', { letter: `privacy: { subject: [${name}] }` }))
    expect([status, body.errors[0].path]).toEqual([422, 'domain.resources.Letter.privacy.subject.0'])
    expect(body.errors[0].message).toMatch(told)
    expect(JSON.stringify(body.errors[0])).toMatch(hint)
  })

  it('P1: everything that may be said is taken, and shown by the schema endpoint', async () => {
    const { status, body } = await submit(
      definition(
        `enabled: true
subjectIdentifier: { primary: email, alternates: [phone] }
permissions: { access: [dpo, subject], log: [] }
anonymization: { method: delete, rules: { name: $pseudonym, email: $hash6, nick: $pseudonym, birthday: $fuzzyDate(30d), age: 0, Letter.text: '', default: $preserve, phone: null } }
consent: [{ purpose: mail, required: true, resources: [Letter] }, { purpose: news, description: News }]
retention: [{ category: identity, hold: true, regulation: Tax Act, when: town == 'x' }, { category: contact, duration: 3y, action: anonymize, from: lastActivity }]`,
        { letter: 'privacy: { subject: [person], erase: delete }' },
      ),
    )
    expect([status, body.errors]).toEqual([201, undefined])
    const schema = await server().request('GET', '/api/v1/domains/shop/schema', { token: server().admin })
    const { privacy, resources } = schema.body.data
    expect(resources.Person.fields.email.privacy).toEqual({
      classification: 'contact',
      pii: true,
      subjectIdentifier: true,
    })
    expect(resources.Letter.privacy).toEqual({ subject: ['person'], erase: 'delete' })
    expect(privacy.consent).toEqual([
      { purpose: 'mail', required: true, withdrawable: false, resources: ['Letter'] },
      { purpose: 'news', description: 'News', required: false, withdrawable: true, resources: [] },
    ])
  })

  it('P11: a rule for a field that is not personal is a warning', async () => {
    const { body } = await submit(definition('anonymization: { rules: { town: x } }'))
    expect(JSON.stringify(body.data.warnings ?? body.warnings)).toMatch(/'town' is not personal/)
  })
})
