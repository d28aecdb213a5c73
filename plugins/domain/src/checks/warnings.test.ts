import { describe, expect, it } from 'vitest'
import {
  type Case,
  Comment,
  definitionOf,
  type Json,
  machine,
  problemsOf,
  refusalOf,
  Tag,
  told,
  warningsOf,
} from './checks.testkit.ts'

const ODDITIES: readonly Case[] = [
  {
    name: 'attributes of a sent value on a formula',
    post: {
      object: { title: 'string', a: { type: 'string', computed: 'title', required: true, immutable: true } },
    },
    told: [
      "object.a.required: 'required' means nothing for a field that is worked out",
      "object.a.immutable: 'immutable' means nothing for a field that is worked out",
    ],
  },
  {
    name: 'a formula of another kind than its field',
    post: { computed: { a: { type: 'integer', expression: 'upper(title)' } } },
    told: ['computed.a.expression: this gives text, and an integer holds number'],
  },
  {
    name: 'an expression that compares what never is equal',
    post: { validation: { a: 'title > 4', b: 'length(title)' } },
    told: [
      "validation.a: '>' wants two numbers, texts or dates, not text and number (character 7)",
      'validation.b: this gives number and is never true — Write a comparison',
    ],
  },
  {
    name: 'a text that a field of an enumeration or of states never holds, wherever it is compared',
    post: {
      ...machine(
        { draft: { transitions: { publish: { to: 'live', guard: "kind == 'nws'" } } }, live: {} },
        { field: 'status' },
      ),
      object: {
        status: 'string',
        kind: { type: 'string', enum: ['news', 'story'] },
        place: { type: 'string', enum: 'Place' },
      },
      computed: { isHome: { type: 'boolean', expression: "place in ['home', 'hom']" } },
      validation: { a: "kind != 'News'" },
      permissions: { list: "status == 'lve'", update: "any(comments, tone == 'angr')" },
      scopes: {
        a: { filter: "kind = 'nws' OR place NOT IN ('home', 'hme') OR 'drft' <> status" },
        b: { filter: "kind > 'm' AND kind LIKE 'n%' AND status IN ('live', 'draft')" },
      },
      relationships: { comments: { type: 'hasMany', target: 'Comment', foreignKey: 'postId' } },
    },
    domain: {
      enums: { Place: { values: ['home', 'away'] } },
      resources: {
        Comment: { ...Comment, object: { tone: { type: 'string', enum: ['angry', 'calm'] } } },
      },
    },
    told: [
      "stateMachine.states.draft.transitions.publish.guard: 'nws' is no value of 'kind' (character 9) — did you mean 'news'?",
      "computed.isHome.expression: 'hom' is no value of 'place' (character 19) — did you mean 'home'?",
      "validation.a: 'News' is no value of 'kind' (character 9) — did you mean 'news'?",
      "permissions.list: 'lve' is no value of 'status' (character 11) — did you mean 'live'?",
      "permissions.update: 'angr' is no value of 'tone' (character 23) — did you mean 'angry'?",
      "scopes.a.filter: 'nws' is no value of 'kind' (character 8) — did you mean 'news'?",
      "scopes.a.filter: 'hme' is no value of 'place' (character 39) — did you mean 'home'?",
      "scopes.a.filter: 'drft' is no value of 'status' (character 49) — did you mean 'draft'?",
    ],
  },
  {
    name: 'names in a list of roles that are hardly those of roles, and owners of what is not there yet',
    post: {
      ...machine({ draft: { transitions: { publish: { to: 'live', guards: ['Owner'] } } }, live: {} }),
      permissions: {
        list: ['public', 'Authenticated', 'onwer', 'owners', 'authenticated '],
        create: ['clerk', 'owner', 'onwer'],
        update: ['clerk ', 'owner', 'authenticated', '*', 'coowner', 'loggedIn', 'OWNR', 'autenticated'],
        delete: ['none', 'joiner', 'loaner', 'opener', 'authenticator'],
        fields: { at: { read: ['everyone'] } },
        conditional: { update: { live: ['anonymous'] } },
        transitions: { publish: ['ALL'] },
      },
      api: {
        customOperations: [
          { name: 'poke', permissions: ['me'] },
          { name: 'pokeAll', path: '/poke-all', permissions: ['me'] },
        ],
      },
    },
    told: [
      "stateMachine.states.draft.transitions.publish.guards.0: 'Owner' is taken for the name of a role — Write 'owner' for those whose record it is",
      "permissions.list.0: 'public' is taken for the name of a role — Write '*' for everybody, without a token too",
      "permissions.list.1: 'Authenticated' is taken for the name of a role — Write 'authenticated' for everybody who is signed in",
      "permissions.list.2: 'onwer' is taken for the name of a role — Write 'owner' for those whose record it is",
      "permissions.list.3: 'owners' is taken for the name of a role — Write 'owner' for those whose record it is",
      "permissions.list.4: 'authenticated ' is taken for the name of a role — Write 'authenticated' for everybody who is signed in",
      "permissions.create.1: 'owner' lets nobody create: a record that is not there yet is nobody's — Write 'authenticated' for everybody who is signed in, or roles",
      "permissions.create.2: 'onwer' is taken for the name of a role — Name roles: there is no owner here",
      "permissions.update.0: 'clerk ' is taken for the name of a role — Write 'clerk', without the spaces around it",
      "permissions.update.5: 'loggedIn' is taken for the name of a role — Write 'authenticated' for everybody who is signed in",
      "permissions.update.6: 'OWNR' is taken for the name of a role — Write 'owner' for those whose record it is",
      "permissions.update.7: 'autenticated' is taken for the name of a role — Write 'authenticated' for everybody who is signed in",
      "permissions.delete.0: 'none' is taken for the name of a role — Write [] for nobody",
      "permissions.fields.at.read.0: 'everyone' is taken for the name of a role — Write '*' for everybody, without a token too",
      "permissions.conditional.update.live.0: 'anonymous' is taken for the name of a role — Write '*' for everybody, without a token too",
      "permissions.transitions.publish.0: 'ALL' is taken for the name of a role — Write '*' for everybody, without a token too",
      "api.customOperations.0.permissions.0: 'me' is taken for the name of a role — Write 'owner' for those whose record it is",
      "api.customOperations.1.permissions.0: 'me' is taken for the name of a role — Name roles: there is no owner here",
    ],
  },
  {
    name: 'a placeholder in two braces in the message of a validation',
    post: {
      validation: {
        a: { expression: 'title != null', message: { en: '{{field}} is needed', de: '{label}, {{x}}' } },
      },
    },
    told: ["validation.a.message: '{{field}}' writes braces, and no value — write {field} for the value"],
  },
  {
    name: 'a field that is named after the time of a write, and is none that the service sets',
    post: { object: { createdAt: 'date', updatedAt: { type: 'string' } } },
    domain: {
      resources: {
        Tag: { object: { createdAt: { type: 'date', autoNow: 'create' }, updatedAt: 'timestamp' } },
        Comment: { object: { a: 'string' }, computed: { createdAt: 'a' } },
      },
    },
    told: [
      "object.createdAt: the service sets 'createdAt' where it is a datetime, and leaves a date to clients — Make it a datetime, or write autoNow: create",
      "object.updatedAt: the service sets 'updatedAt' where it is a datetime, and leaves a string to clients — Make it a datetime",
    ],
  },
  {
    name: 'a pattern in slashes',
    post: {
      object: {
        a: { type: 'string', pattern: '/^[A-Z]+$/' },
        b: { type: 'array', items: { type: 'string', pattern: '/[a-z]/i' } },
        c: { type: 'component', fields: { d: { type: 'string', pattern: '/^a/b/' } } },
        e: { type: 'string', pattern: '^/[a-z]+/$' },
        f: { type: 'string', pattern: '/users/[0-9]+/' },
        g: { type: 'string', pattern: '/users/' },
      },
      validation: { x: "a matches '/^A/'", y: "f matches '/users/'" },
    },
    told: [
      "object.a.pattern: the slashes are part of the pattern — Write '^[A-Z]+$'",
      "object.b.items.pattern: the slashes are part of the pattern — Write '[a-z]'",
      "object.c.fields.d.pattern: the slashes are part of the pattern — Write '^a/b'",
      "validation.x: the slashes are part of the pattern (character 11) — write it as '^A'",
    ],
  },
  {
    name: 'a state that nothing leads to',
    post: machine({ draft: {}, live: {} }),
    told: ["stateMachine.states.live: no transition leads from 'draft' to 'live'"],
  },
  {
    name: 'keys that mean nothing for a kind of relationship',
    post: {
      relationships: {
        author: { type: 'belongsTo', target: 'User', orderBy: { id: 'asc' }, through: 'X' },
        comments: { type: 'hasMany', target: 'Comment', foreignKey: 'postId', onDelete: 'cascade' },
      },
    },
    domain: { resources: { Comment } },
    told: [
      "relationships.author.orderBy: 'orderBy' means nothing for a belongsTo: it is ignored",
      "relationships.author.through: 'through' means nothing for a belongsTo: it is ignored",
      "relationships.comments.onDelete: 'onDelete' means nothing for a hasMany: it is ignored",
    ],
  },
  {
    name: 'several fields that could say whose a record is (ruling 3.8)',
    post: {
      object: { authorId: 'uuid', userId: 'uuid' },
      relationships: {
        user: { type: 'belongsTo', target: 'Comment' },
        checker: { type: 'belongsTo', target: 'User' },
      },
    },
    domain: { resources: { Comment: { object: { body: 'text' } } } },
    told: [
      "domain.resources.Post: 'authorId' says whose a record is, and 'checkerId' could as well — Write 'owner: authorId', or the field that you mean",
    ],
  },
  {
    name: 'features with nothing to work with',
    post: { object: { size: 'integer' }, features: { search: true, cacheTtlSeconds: 5 } },
    told: [
      "features.search: 'Post' has no field to search in — Search looks at fields of type string, text and markdown",
      "features.cacheTtlSeconds: means nothing without 'caching: true'",
    ],
  },
  {
    name: 'settings of an operation',
    post: { api: { operation_overrides: { list: { limit: 3 } } } },
    told: ["api.operation_overrides.list: 'list' has no settings: this has no effect"],
  },
  {
    name: 'a mask over what everybody sees, and direct access of what is direct',
    post: {
      permissions: { fields: { title: { mask: true } } },
      api: { directAccess: ['list'] },
    },
    told: [
      "permissions.fields.title.mask: means nothing without 'read': everybody sees the value",
      "api.directAccess: means nothing without 'under': every operation is direct",
    ],
  },
]

describe('a model is used with a warning for', () => {
  it.each(ODDITIES)('$name', async ({ post = {}, domain, told: expected }) => {
    expect((await warningsOf(definitionOf(post, domain))).map(told)).toEqual(expected)
  })
})

describe('a model is refused without a warning of', () => {
  it('the time of a write in a field whose type is at fault', async () => {
    const createdAt = { type: 'datetme', autoNow: 'create' }
    const updatedAt = { type: 'date', min: 'never' }
    const refusal = await refusalOf(definitionOf({ object: { createdAt, updatedAt } }))
    expect(refusal?.problems.map(({ path }) => path.slice(-2).join('.'))).toEqual([
      'createdAt.type',
      'updatedAt.min',
    ])
    const unmarked = { createdAt: 'datetme', updatedAt }
    expect((await refusalOf(definitionOf({ object: unmarked })))?.warnings.map(told)).toEqual([])
  })
})

describe('a model may', () => {
  it.each<[string, Json, Json?]>([
    [
      'use paths and names that a feature takes, where the feature is off',
      {
        api: {
          customOperations: [
            { name: 'restore', path: '/:id/restore' },
            { name: 'export', method: 'GET', path: '/export' },
          ],
        },
      },
    ],
    [
      'name a hasMany as the nested resource that answers the same list',
      { relationships: { comments: { type: 'hasMany', target: 'Comment', foreignKey: 'postId' } } },
      { resources: { Comment: { ...Comment, api: { under: 'Post' } } } },
    ],
    [
      'call a field as a part of a path is called',
      { object: { count: 'integer', bulk: 'boolean', page: 'integer', id: 'uuid' } },
    ],
    [
      'declare one table from both ends',
      { relationships: { tags: { type: 'belongsToMany', target: 'Tag' } } },
      {
        resources: {
          Tag: { ...Tag, relationships: { posts: { type: 'belongsToMany', target: 'Post' } } },
        },
      },
    ],
    ['answer at the root', {}, { api: { prefix: '/' } }],
    [
      'hold the key of a resource that is declared later',
      { relationships: { comments: { type: 'hasMany', target: 'Comment', foreignKey: 'postId' } } },
      { resources: { Comment } },
    ],
  ])('%s', async (_, post, domain) => {
    expect((await problemsOf(definitionOf(post, domain))).map(told)).toEqual([])
  })
})
