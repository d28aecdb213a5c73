/** People with a field for every reason why somebody may not read one, and what could tell of it. */
export const VAULT = `
domain:
  name: vault
  version: '1.0.0'
  resources:
    Person:
      features:
        { search: true, export: true, import: true, audit: true, versioning: true, softDelete: true, caching: true }
      object:
        name: { type: string, required: true, minLength: 2 }
        level: { type: integer, default: 1 }
        secret: { type: string, hidden: true }
        wage: { type: decimal }
        pin: string
        mail: { type: email, unique: true }
        born: date
        rank: integer
        traits: { type: set, items: string }
        seal: { type: string, immutable: true, required: true, default: wax }
        key: password
        diary: text
        phase: string
        net: { type: decimal, computed: { expression: 'wage * 2', stored: true } }
        rich: { type: boolean, computed: { expression: 'net > 300', stored: true } }
        gross: { type: decimal, computed: 'coalesce(wage, 0) + 1' }
        badge: { type: string, computed: 'concat(name, coalesce(pin, ""), coalesce(secret, ""))' }
        more: { type: decimal, computed: 'coalesce(net, 5) + level' }
        open: { type: string, computed: { expression: 'upper(name)', stored: true } }
        createdById: uuid
        createdAt: datetime
        deletedAt: datetime
      relationships:
        home: { type: belongsTo, target: Place }
        team: { type: belongsTo, target: Place }
        keeper: { type: belongsTo, target: User }
        labels: { type: belongsToMany, target: Label }
      stateMachine:
        field: phase
        initial: idle
        states:
          idle: { transitions: { wake: { to: busy, sets: { rank: 3 } } } }
          busy: { transitions: { rest: { to: idle }, end: { to: gone } } }
          gone: { final: true }
      validation:
        levels: { expression: 'level < 100', message: A level has two digits, fields: [level] }
      permissions:
        list: ['*']
        get: ['*']
        create: [authenticated]
        update: [authenticated]
        delete: [boss]
        fields:
          wage: { read: [boss], write: [boss] }
          pin: { read: [boss], write: [boss], mask: true }
          mail: { read: [boss] }
          born: { read: [boss], write: [boss] }
          rank: { read: [boss], write: [boss] }
          traits: { read: [boss], write: [boss], mask: true }
          seal: { read: [boss] }
          diary: { read: [owner, boss], write: [owner] }
          homeId: { read: [boss], write: [boss] }
          keeperId: { read: [boss], write: [boss] }
      history:
        events:
          made: { on: create, label: 'Earns {wage}, called {name}', capture: [wage, name, pin] }
          changed: { on: update, label: 'Now {name} {rank} {homeId}', capture: [name, rank, homeId, level] }
          woken: { on: transition, transition: wake, label: 'Woken {born}', capture: [born] }
          sacked: { on: delete, label: 'Gone', roles: [boss] }
    Place:
      object: { title: { type: string, required: true } }
      relationships:
        residents: { type: hasMany, target: Person, foreignKey: homeId }
        members: { type: hasMany, target: Person, foreignKey: teamId, orderBy: { rank: desc } }
      permissions: { list: ['*'], get: ['*'], create: [boss], update: [boss] }
    Label:
      object: { text: { type: string, required: true } }
      permissions: { list: [boss], get: [boss], create: [boss], update: [boss] }
`
export const PEOPLE = '/api/v1/vault/people'
export const PLACES = '/api/v1/vault/places'

/** The fields of a person; the last one is none. */
export const FIELDS = (
  'id name level secret wage pin mail born rank traits seal key diary phase net rich gross badge more open ' +
  'createdById createdAt deletedAt homeId teamId keeperId nothing'
).split(' ')
