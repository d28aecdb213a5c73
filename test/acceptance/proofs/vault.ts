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
        homeTitle: { type: string, computed: home.title }
        neighbours: { type: integer, computed: count(home.residents) }
        teamWage: { type: decimal, computed: sum(team.members.wage) }
        teamNet: { type: decimal, computed: 'max(team.members, net)' }
        teamRich: { type: boolean, computed: 'any(team.members, rich)' }
        teamPin: { type: string, computed: first(team.members.pin) }
        teamSecret: { type: string, computed: 'max(team.members, secret)' }
        teamDiary: { type: string, computed: last(team.members.diary) }
        teamNames: { type: string, computed: 'concat(first(team.members.name), last(team.members.name))' }
        keeperName: { type: string, computed: keeper.username }
        keeperMail: { type: string, computed: keeper.email }
        creatorMail: { type: string, computed: creator.email }
        labelCount: { type: integer, computed: count(labels) }
        labelled: { type: boolean, computed: 'any(labels, text == "a")' }
        createdById: uuid
        createdAt: datetime
        deletedAt: datetime
      relationships:
        home: { type: belongsTo, target: Place }
        team: { type: belongsTo, target: Place }
        keeper: { type: belongsTo, target: User }
        creator: { type: belongsTo, target: User, foreignKey: createdById }
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
      features: { caching: true, export: true }
      object:
        title: { type: string, required: true }
        payroll: { type: decimal, computed: sum(members.wage) }
        earning: { type: integer, computed: 'count(members, gross > 500)' }
        sleepers: { type: integer, computed: count(residents) }
        first: { type: string, computed: first(members.name) }
        oldest: { type: date, computed: 'min(members, born)' }
        lowest: { type: integer, computed: 'min(members, level)' }
        marked: { type: boolean, computed: 'any(members, count(labels) > 0)' }
      relationships:
        residents: { type: hasMany, target: Person, foreignKey: homeId }
        members: { type: hasMany, target: Person, foreignKey: teamId, orderBy: { rank: desc } }
      permissions: { list: ['*'], get: ['*'], create: [boss], update: [boss] }
    Label:
      object: { text: { type: string, required: true } }
      permissions: { list: [boss], get: [boss], create: [boss], update: [boss] }
`
/** Ways to fields of neighbours, some of which the clerk may not know of. */
export const PATHS = (
  'home.title team.title team.payroll team.nothing keeper.username keeper.email creator.username labels.text ' +
  'team.members.name team.members.wage team.members.diary team.members.homeId home.residents.name members.name ' +
  'members.wage members.rank members.pin members.secret members.level members.diary members.teamWage residents.name ' +
  'members.labels.text members.home.title members.team.title members.team.members.name nothing.name'
).split(' ')

export const PEOPLE = '/api/v1/vault/people'
export const PLACES = '/api/v1/vault/places'

/** The fields of a person; the last one is none. */
export const FIELDS = (
  'id name level secret wage pin mail born rank traits seal key diary phase net rich gross badge more open ' +
  'homeTitle neighbours teamWage teamNet teamRich teamPin teamSecret teamDiary teamNames keeperName keeperMail ' +
  'creatorMail labelCount labelled payroll earning sleepers first oldest lowest marked title ' +
  'createdById createdAt deletedAt homeId teamId keeperId nothing'
).split(' ')
