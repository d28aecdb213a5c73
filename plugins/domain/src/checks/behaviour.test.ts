import { describe, expect, it } from 'vitest'
import { type Case, Comment, definitionOf, machine, problemsOf, Tag, told } from './checks.testkit.ts'

const MISTAKES: readonly Case[] = [
  // State machines
  {
    name: 'a state machine over a field that is not there',
    post: { stateMachine: { field: 'titel', initial: 'draft', states: { draft: {} } } },
    told: ["stateMachine.field: 'Post' has no field 'titel' — Did you mean 'title'?"],
  },
  {
    name: 'a state machine over a number',
    post: {
      object: { size: 'integer' },
      stateMachine: { field: 'size', initial: 'draft', states: { draft: {} } },
    },
    told: ["stateMachine.field: 'size' is an integer; a state is kept in a string"],
  },
  {
    name: 'a state machine over a formula',
    post: {
      computed: { status: 'title' },
      stateMachine: { field: 'status', initial: 'draft', states: { draft: {} } },
    },
    told: ["stateMachine.field: 'status' is worked out; a state is kept in a field of its own"],
  },
  {
    name: 'states that are not declared',
    post: machine({ draft: { transitions: { go: { to: 'live' } } } }, { initial: 'draf' }),
    told: [
      "stateMachine.initial: there is no state 'draf' — Did you mean 'draft'?",
      "stateMachine.states.draft.transitions.go.to: there is no state 'live'",
    ],
  },
  {
    name: 'a state that is no value of the enumeration',
    post: {
      object: { status: { type: 'string', enum: ['draft', 'live'] } },
      stateMachine: {
        field: 'status',
        initial: 'draft',
        states: { draft: { transitions: { go: { to: 'lives' } } }, lives: {} },
      },
    },
    told: [
      "stateMachine.states.lives: 'lives' is no value of the enumeration of 'status' — Did you mean 'live'?",
    ],
  },
  {
    name: 'a final state that is left',
    post: machine({ draft: { final: true, transitions: { go: { to: 'draft' } } } }),
    told: [
      "stateMachine.states.draft.transitions: 'draft' is final and has transitions — Drop one of the two",
    ],
  },
  {
    name: 'a transition that asks for and sets what it cannot',
    post: machine({
      draft: {
        transitions: {
          go: {
            to: 'live',
            guards: ['?'],
            guard: 'statu == 1',
            requiredFields: ['att'],
            sets: { status: 'x', on: 'yes', seq: 4, titel: 1, id: null, at: '$user.usernam' },
          },
        },
      },
      live: {},
    }),
    told: [
      "stateMachine.states.draft.transitions.go.guards: '?' is no permission — Use 'authenticated' for any signed-in caller, '*' for everybody",
      "stateMachine.states.draft.transitions.go.guard: 'statu' is not known here (character 1) — did you mean 'status'?",
      "stateMachine.states.draft.transitions.go.requiredFields.0: 'Post' has no field 'att' — Did you mean 'at'?",
      "stateMachine.states.draft.transitions.go.sets.status: the transition itself sets the state — Write 'to'",
      'stateMachine.states.draft.transitions.go.sets.on: the value does not fit: must be true or false',
      "stateMachine.states.draft.transitions.go.sets.seq: 'seq' is numbered by the service and cannot be set",
      "stateMachine.states.draft.transitions.go.sets.titel: 'Post' has no field 'titel'",
      "stateMachine.states.draft.transitions.go.sets.id: 'id' is the key and cannot be set",
      "stateMachine.states.draft.transitions.go.sets.at: '$user.usernam' is not known here — Did you mean '$user.username'?",
    ],
  },
  {
    name: 'a transition with both kinds of guards',
    post: machine({
      draft: { transitions: { go: { to: 'draft', guards: ['a'], guard: 'on' } } },
    }),
    told: [
      "stateMachine.states.draft.transitions.go.guard: a transition takes 'guards' or 'guard', not both",
    ],
  },
  {
    name: 'the time in a field that holds none',
    post: machine({ draft: { transitions: { go: { to: 'draft', sets: { on: 'now()' } } } } }),
    told: [
      "stateMachine.states.draft.transitions.go.sets.on: 'on' is a boolean and holds no time — Make it a datetime",
    ],
  },

  // Permissions
  {
    name: 'permissions that name what is not there',
    post: {
      ...machine({ draft: { transitions: { publish: { to: 'draft' } } } }),
      permissions: {
        fields: { statu: { read: ['admin'] } },
        transitions: { publisch: ['admin'] },
        conditional: { updat: { draft: ['admin'] }, update: { draf: ['admin'] } },
      },
    },
    told: [
      "permissions.fields.statu: there is no field 'statu' — Did you mean 'status'?",
      "permissions.transitions.publisch: there is no transition 'publisch' — Did you mean 'publish'?",
      "permissions.conditional.updat: there is no operation 'updat' — Did you mean 'update'?",
      "permissions.conditional.update.draf: there is no state 'draf' — Did you mean 'draft'?",
    ],
  },
  {
    name: 'a question mark among roles, everywhere',
    post: {
      permissions: { get: ['?'], create: '?', fields: { title: { read: ['admin', '?'] } } },
      api: { customOperations: [{ name: 'ship', permissions: ['?'] }] },
    },
    told: [
      "permissions.get: '?' is no permission — Use 'authenticated' for any signed-in caller, '*' for everybody",
      "permissions.create: '?' is no permission — Use 'authenticated' for any signed-in caller, '*' for everybody",
      "permissions.fields.title.read: '?' is no permission — Use 'authenticated' for any signed-in caller, '*' for everybody",
      "api.customOperations.0.permissions: '?' is no permission — Use 'authenticated' for any signed-in caller, '*' for everybody",
    ],
  },
  {
    name: 'a role that is no list',
    post: { permissions: { list: 'admin', get: '*' } },
    told: [
      "permissions.list: 'admin' is no expression — For a role, write a list: ['admin']",
      "permissions.get: '*' is no expression — For a role, write a list: ['*']",
    ],
  },
  {
    name: 'expressions that cannot be read',
    post: {
      permissions: {
        update: "hasRol('x')",
        delete: "inState('draft')",
        conditional: { get: {} },
        transitions: {},
      },
      api: { custom: { ship: { permissions: 'titel == 1' } } },
    },
    told: [
      "permissions.update: there is no function 'hasRol' (character 1) — did you mean 'hasRole'?",
      "permissions.delete: 'inState' needs a resource with a state machine (character 1)",
      "api.custom.ship.permissions: 'titel' is not known here (character 1) — did you mean 'title'?",
    ],
  },
  {
    name: 'a list that no database can pick',
    post: {
      ...machine({ draft: {} }),
      computed: { shout: 'upper(status)' },
      permissions: {
        list: "hasRole('x') or status matches '^a'",
        conditional: { list: { draft: "shout == 'A'" } },
      },
    },
    told: [
      'permissions.list: a list is picked by the database, which cannot work this out (character 24): patterns differ from store to store',
      "permissions.conditional.list.draft: 'shout' is worked out on every read, and a list is picked by what is stored — Store it (stored: true), or write what it stands for",
    ],
  },

  // Paths and operations
  {
    name: 'custom operations that set what cannot be',
    post: { api: { customOperations: [{ name: 'ship', fields: { titel: 'x', title: 4 } }] } },
    told: [
      "api.customOperations.0.fields.titel: 'Post' has no field 'titel' — Did you mean 'title'?",
      'api.customOperations.0.fields.title: the value does not fit: must be text',
    ],
  },
  {
    name: 'custom operations whose names are taken',
    post: {
      ...machine({ draft: { transitions: { publish: { to: 'draft' } } } }),
      relationships: { comments: { type: 'hasMany', target: 'Comment', foreignKey: 'postId' } },
      api: {
        customOperations: [
          { name: 'list', path: '/a' },
          { name: 'comments', path: '/b' },
          { name: 'publish', path: '/c' },
          { name: 'ship', path: '/d' },
          { name: 'ship', path: '/e' },
          { name: 'no name', path: '/f' },
        ],
      },
    },
    domain: { resources: { Comment } },
    told: [
      "api.customOperations.0: the custom operation 'list' has the name of the operation 'list' — Rename one of them",
      "api.customOperations.1: the custom operation 'comments' has the name of the relationship 'comments' — Rename one of them",
      "api.customOperations.2: the custom operation 'publish' has the name of the transition 'publish' — Rename one of them",
      "api.customOperations.4: the custom operation 'ship' has the name of the custom operation 'ship' — Rename one of them",
      "api.customOperations.5: 'no name' is no name for an operation — Write a letter, then up to 62 letters, digits, hyphens and underscores",
    ],
  },
  {
    name: 'custom operations at routes that are taken',
    post: {
      object: { title: 'string', deletedAt: 'datetime' },
      features: { softDelete: true, export: true },
      relationships: { comments: { type: 'hasMany', target: 'Comment', foreignKey: 'postId' } },
      api: {
        customOperations: [
          { name: 'a', path: '/:id/restore' },
          { name: 'b', method: 'GET', path: '/export' },
          { name: 'c', method: 'GET', path: '/:id/comments' },
          { name: 'd', path: '/bulk' },
          { name: 'e', method: 'GET', path: '/count' },
        ],
      },
    },
    domain: { resources: { Comment } },
    told: [
      "api.customOperations.0: the custom operation 'a' would answer at 'POST /api/v1/blog/posts/:id/restore', where the operation 'restore' does — Give one of them another path or name",
      "api.customOperations.1: the custom operation 'b' would answer at 'GET /api/v1/blog/posts/export', where the operation 'export' does — Give one of them another path or name",
      "api.customOperations.2: the custom operation 'c' would answer at 'GET /api/v1/blog/posts/:id/comments', where the relationship 'comments' does — Give one of them another path or name",
      "api.customOperations.3: the custom operation 'd' would answer at 'POST /api/v1/blog/posts/bulk', where the operation 'bulk' does — Give one of them another path or name",
      "api.customOperations.4: the custom operation 'e' would answer at 'GET /api/v1/blog/posts/count', where the operation 'count' does — Give one of them another path or name",
    ],
  },
  {
    name: 'paths that are none',
    post: {
      api: {
        path: '/:tenant/posts',
        collection: 'a/b',
        customOperations: [
          { name: 'a', path: '/:id/:id/a' },
          { name: 'b', path: '/:post/b' },
          { name: 'c', path: '/{id}/c' },
          { name: 'd', path: '/x//d' },
        ],
      },
    },
    domain: { api: { prefix: '/api/:v/blog', aliases: ['/a?b', '/..'] } },
    told: [
      "api.path: nothing fills ':tenant' in this path — Write it without parameters",
      "api.collection: a collection is one segment — Use 'path' for several",
      "api.customOperations.0.path: nothing fills ':id' in this path — Write :id once",
      "api.customOperations.1.path: nothing fills ':post' in this path — Write :id once",
      "api.customOperations.2.path: '{id}' is no segment of a path — Write segments of letters, digits and - . _ ~, and parameters as :id",
      'api.customOperations.3.path: a path has no empty segments — Write segments of letters, digits and - . _ ~, and parameters as :id',
      "domain.api.prefix: nothing fills ':v' in this path — Write it without parameters",
      "domain.api.aliases.0: 'a?b' is no segment of a path — Write segments of letters, digits and - . _ ~, and parameters as :id",
      "domain.api.aliases.1: '..' is no segment of a path — Write segments of letters, digits and - . _ ~, and parameters as :id",
    ],
  },
  {
    name: 'settings of an operation that is not there',
    post: { api: { operation_overrides: { lst: {} } } },
    told: ["api.operation_overrides.lst: there is no operation 'lst' — Did you mean 'list'?"],
  },
  {
    name: 'prefixes of the service itself',
    post: { api: { aliases: ['/api/v1/auth'] } },
    domain: { api: { prefix: 'api/v1/admin/blog', aliases: ['/health'] } },
    told: [
      "api.aliases.0: '/api/v1/auth' belongs to the service itself — Choose another path",
      "domain.api.prefix: '/api/v1/admin' belongs to the service itself — Choose another path",
      "domain.api.aliases.0: '/health' belongs to the service itself — Choose another path",
    ],
  },
  {
    name: 'a nested resource without a way to its parent, and one whose path has no parent',
    post: { api: { under: 'Tag' } },
    domain: {
      resources: { Tag, Comment: { ...Comment, api: { under: 'Post', path: '/posts/comments' } } },
    },
    told: [
      "api.under: 'Post' has no belongsTo to 'Tag' — Declare the relationship",
      "domain.resources.Comment.api.path: the path does not say whose 'Comment' it is — Write ':postId' where the key of the Post stands",
    ],
  },
  {
    name: 'resources that share a path, a table or a slug',
    domain: {
      resources: {
        Posts: { object: { a: 'string' } },
        OrderItem: { object: { a: 'string' } },
        order_item: { object: { a: 'string' }, api: { collection: 'other' } },
        post: { object: { a: 'string' } },
      },
    },
    told: [
      "domain.resources.Posts: 'Posts' and 'Post' would share the path '/api/v1/blog/posts' — Rename one, or set 'api.collection'",
      "domain.resources.order_item: 'order_item' and 'OrderItem' would share the table 'blog_order_item' — Rename one",
      "domain.resources.post: 'post' and 'Post' would share the table 'blog_post' — Rename one",
      "domain.resources.post: 'post' and 'Posts' would share the path '/api/v1/blog/posts' — Rename one, or set 'api.collection'",
    ],
  },
  {
    name: 'a domain whose tables would be those of the service',
    domain: { name: 'svc' },
    told: [
      "domain.name: the tables of 'svc' would begin with 'svc_', as those of the service or the database do — Choose another name",
    ],
  },
]

describe('a model is refused for', () => {
  it.each(MISTAKES)('$name', async ({ post = {}, domain, told: expected }) => {
    const problems = await problemsOf(definitionOf(post, domain))
    expect(problems.map(told)).toEqual(expected)
    expect(problems.every(({ position }) => position !== undefined)).toBe(true)
  })
})
