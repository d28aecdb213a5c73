import { describe, expect, it } from 'vitest'
import { type Case, Comment, definitionOf, problemsOf, Tag, told } from './checks.testkit.ts'

const MISTAKES: readonly Case[] = [
  // Names
  {
    name: 'two fields differ in case alone',
    post: { object: { title: 'string', Title: 'string' } },
    told: ["object.Title: 'Title' and 'title' differ in case alone — Rename one of them"],
  },
  {
    name: 'a relationship has the name of a field',
    post: { object: { author: 'uuid' }, relationships: { author: { type: 'belongsTo', target: 'User' } } },
    told: [
      "relationships.author: 'Post' has a field of this name too — Rename the relationship, or the field to authorId",
    ],
  },
  {
    name: 'a field is declared twice',
    post: { object: { size: 'integer' }, computed: { size: '1 + 1' } },
    told: ["computed.size: 'size' is declared under 'object' too — Keep one of them"],
  },
  {
    name: 'a former name is still there',
    post: { object: { title: 'string', name: { type: 'string', renamedFrom: 'title' } } },
    told: [
      "object.name.renamedFrom: there is a field 'title' still — Name what the field was called before, or leave it out",
    ],
  },
  {
    name: 'two fields have one former name',
    post: {
      object: {
        a: { type: 'string', renamedFrom: 'old' },
        b: { type: 'string', renamedFrom: 'old' },
      },
    },
    told: [
      "object.b.renamedFrom: 'a' was called 'old' too — Name what the field was called before, or leave it out",
    ],
  },
  {
    name: 'a resource was renamed from one that is still there',
    domain: { resources: { Article: { object: { a: 'string' }, renamedFrom: 'Post' } } },
    told: [
      "domain.resources.Article.renamedFrom: there is a resource 'Post' still — Name what the resource was called before, or leave it out",
    ],
  },
  {
    name: 'values and keys that name a part of every object (ruling 3.1)',
    post: {
      object: { title: { type: 'string', enum: ['a', 'constructor'] } },
      relationships: {
        top: { type: 'belongsTo', target: 'Post', foreignKey: 'prototype' },
        tags: { type: 'belongsToMany', target: 'Tag', otherKey: 'constructor' },
        odd: { type: 'belongsTo', target: 'Tag', foreignKey: 'a key' },
      },
      api: { customOperations: [{ name: 'constructor' }] },
    },
    domain: { enums: { Kind: { values: ['prototype'] } }, resources: { Tag } },
    told: [
      "object.title.enum.1: 'constructor' names a part of every object — Choose another name",
      "relationships.top.foreignKey: 'prototype' names a part of every object — Choose another name",
      "relationships.tags.otherKey: 'constructor' names a part of every object — Choose another name",
      "relationships.odd.foreignKey: 'a key' is no name for a field — Write a letter or an underscore, then up to 62 letters, digits and underscores",
      "api.customOperations.0: 'constructor' is no name for an operation — Write a letter, then up to 62 letters, digits, hyphens and underscores",
      "domain.enums.Kind.values.0: 'prototype' names a part of every object — Choose another name",
    ],
  },
  {
    name: 'an owner that is no field (ruling 3.8)',
    post: { owner: 'titel' },
    told: ["owner: 'Post' has no field 'titel' — Did you mean 'title'?"],
  },
  {
    name: 'an owner that holds no account',
    post: { object: { rank: 'integer' }, owner: 'rank' },
    told: ["owner: the owner is an account, and 'rank' is an integer — Make it a uuid"],
  },
  {
    name: 'an owner that is the key of something else',
    post: { relationships: { top: { type: 'belongsTo', target: 'Post' } }, owner: 'topId' },
    told: ["owner: 'topId' is the key of something else than a User — Name a key of an account"],
  },
  {
    name: 'an owner that is worked out',
    post: { computed: { who: 'title' }, owner: 'who' },
    told: ["owner: 'who' is worked out: the owner of a record is kept in a field of its own"],
  },

  // Fields
  {
    name: 'an unknown type',
    post: { object: { title: 'strin' } },
    told: ["object.title.type: there is no field type 'strin' — Did you mean 'string'?"],
  },
  {
    name: 'types that other systems have',
    post: { object: { size: 'enum', writer: 'belongsTo', note: 'varchar' } },
    told: [
      "object.size.type: there is no field type 'enum' — Write 'type: string' with 'enum: [one, another]'",
      "object.writer.type: there is no field type 'belongsTo' — Name the other resource under 'relationships'",
      "object.note.type: there is no field type 'varchar' — Write 'type: string'",
    ],
  },
  {
    name: 'a type of another system that no loaded plugin has anything for',
    post: { object: { logo: 'image' } },
    told: ["object.logo.type: there is no field type 'image'"],
  },
  {
    name: 'a default that is no value of the enumeration',
    post: { object: { kind: { type: 'string', enum: 'Kind', default: 'c' } } },
    domain: { enums: { Kind: { values: ['a', 'b'] } } },
    told: ['object.kind.default: the default does not fit: must be one of a, b'],
  },
  {
    name: 'an unknown enumeration',
    post: { object: { kind: { type: 'string', enum: 'Kinds' } } },
    domain: { enums: { Kind: { values: ['a', 'b'] } } },
    told: ["object.kind.enum: there is no enumeration 'Kinds' — Did you mean 'Kind'?"],
  },
  {
    name: 'an enumeration with a value twice',
    post: { object: { kind: { type: 'string', enum: ['x', 'x'] } } },
    domain: { enums: { Kind: { values: ['a', 'b', 'a'] } } },
    told: ["object.kind.enum.1: 'x' is listed twice", "domain.enums.Kind.values.2: 'a' is listed twice"],
  },
  {
    name: 'two primary keys',
    post: {
      object: { a: { type: 'uuid', primaryKey: true }, b: { type: 'uuid', primaryKey: true } },
    },
    told: ["object.b.primaryKey: 'Post' has a second primary key — Keep the one on 'a'"],
  },
  {
    name: 'a key that no path can carry',
    post: { object: { a: { type: 'json', primaryKey: true } } },
    told: ['object.a.type: a json cannot be a primary key — Use uuid, string or integer'],
  },
  {
    name: 'a key that nobody may see',
    post: { object: { a: { type: 'password', primaryKey: true } } },
    told: ['object.a.type: a password cannot be a primary key — Use uuid, string or integer'],
  },
  {
    name: 'unique where values cannot be compared',
    post: { object: { a: { type: 'json', unique: true }, b: { type: 'password', unique: true } } },
    told: [
      'object.a.unique: a json cannot be unique — Keep what tells records apart in a field of its own',
      'object.b.unique: a password cannot be unique — Keep what tells records apart in a field of its own',
    ],
  },
  {
    name: 'a time in a field that holds none',
    post: { object: { a: { type: 'string', autoNow: 'create' } } },
    told: ['object.a.autoNow: a string holds no time — Make it a datetime'],
  },
  {
    name: 'an account in a field that holds none',
    post: { object: { createdById: 'integer' } },
    told: [
      "object.createdById: the service keeps the id of an account here, and 'createdById' is an integer — Make it a uuid",
    ],
  },
  {
    name: 'a slug of a field that is not there',
    post: { object: { title: 'string', slug: { type: 'slug', from: 'titel' } } },
    told: ["object.slug.from: 'Post' has no field 'titel' to make the slug from — Did you mean 'title'?"],
  },
  {
    name: 'a slug of a number',
    post: { object: { size: 'integer', slug: { type: 'slug', from: 'size' } } },
    told: ["object.slug.from: 'size' is an integer, and a slug is made of text"],
  },
  {
    name: 'soft delete without its field',
    post: { features: { softDelete: true } },
    told: [
      'features.softDelete: soft delete needs a datetime field named deletedAt — Add deletedAt: datetime to object',
    ],
  },
  {
    name: 'soft delete with a field of another type',
    post: { object: { deletedAt: 'date' }, features: { softDelete: true } },
    told: [
      'object.deletedAt: soft delete needs a datetime field named deletedAt — Add deletedAt: datetime to object',
    ],
  },

  // Computed fields
  {
    name: 'a formula that cannot be read',
    post: { computed: { twice: 'title +' } },
    told: ['computed.twice: expected a value, but found the end (character 8)'],
  },
  {
    name: 'a formula over fields that are not there',
    post: { object: { price: 'money', total: { type: 'money', computed: 'prize * quantity' } } },
    told: [
      "object.total.computed: 'prize' is not known here (character 1) — did you mean 'price'?",
      "object.total.computed: 'quantity' is not known here (character 9)",
    ],
  },
  {
    name: 'a stored formula that asks who reads',
    post: { computed: { mine: { expression: 'userId() == title', stored: true } } },
    told: ["computed.mine.expression: 'userId' needs a caller, and none is here (character 1)"],
  },
  {
    name: 'formulas in a circle',
    post: { computed: { a: 'b + 1', b: 'c + 1', c: 'a + 1', d: 'a + 1' } },
    told: [
      'computed.a: the formulas read each other in a circle: a → b → c → a — Let one of them read stored fields alone',
    ],
  },
  {
    name: 'a formula of itself',
    post: { computed: { a: { type: 'integer', expression: 'a + 1' } } },
    told: [
      'computed.a.expression: the formulas read each other in a circle: a → a — Let one of them read stored fields alone',
    ],
  },
  {
    name: 'a formula that reads a password',
    post: { object: { secret: 'password' }, computed: { a: 'length(secret)' } },
    told: ["computed.a: 'secret' is not known here (character 8)"],
  },
  {
    name: 'a virtual formula that is a key, unique and indexed',
    post: {
      object: { title: 'string', a: { type: 'string', computed: 'title', unique: true } },
      indexes: [{ fields: ['a'] }],
    },
    told: [
      "object.a.unique: 'a' is worked out on every read and cannot be kept unique — Store it: stored: true",
      "indexes.0.fields.0: 'a' is worked out on every read and has no index — Store it: stored: true",
    ],
  },
  {
    name: 'an index of more fields than every store takes',
    post: {
      object: Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`f${at}`, 'integer'])),
      indexes: [{ fields: Array.from({ length: 31 }, (_, at) => `f${at}`) }],
    },
    told: [
      'indexes.0.fields: an index covers 30 fields at most — Name the most telling first, and leave the others out',
    ],
  },
  {
    name: 'a formula that is a password',
    post: { computed: { a: { type: 'password', expression: "'x'" } } },
    told: ["computed.a.type: 'a' is worked out, and a password is made by the service"],
  },

  // Validation
  {
    name: 'rules that cannot be read, and fields that are not there',
    post: {
      validation: {
        one: 'titel != null',
        two: { expression: "foo(title) == 'a'", fields: ['titel'] },
      },
    },
    told: [
      "validation.one: 'titel' is not known here (character 1) — did you mean 'title'?",
      "validation.two.expression: there is no function 'foo' (character 1)",
      "validation.two.fields.0: 'Post' has no field 'titel' — Did you mean 'title'?",
    ],
  },
  {
    name: 'a rule that is told at a field that is not there',
    post: { validation: [{ expression: 'title != null', fields: ['titel'] }] },
    told: ["validation.0.fields.0: 'Post' has no field 'titel' — Did you mean 'title'?"],
  },

  // Relationships
  {
    name: 'an unknown target',
    post: { relationships: { tag: { type: 'belongsTo', target: 'Tga' } } },
    domain: { resources: { Tag } },
    told: ["relationships.tag.target: there is no resource 'Tga' — Did you mean 'Tag'?"],
  },
  {
    name: 'a hasMany without a key, where the target holds two or none',
    post: {
      relationships: {
        comments: { type: 'hasMany', target: 'Comment' },
        tags: { type: 'hasMany', target: 'Tag' },
      },
    },
    domain: {
      resources: {
        Tag,
        Comment: {
          object: { body: 'text' },
          relationships: {
            post: { type: 'belongsTo', target: 'Post' },
            other: { type: 'belongsTo', target: 'Post', foreignKey: 'answeredBy' },
          },
        },
      },
    },
    told: [
      "relationships.comments: a hasMany needs 'foreignKey': the field of the target that holds this resource's key — Write 'foreignKey: postId' or 'foreignKey: answeredBy'",
      "relationships.tags: a hasMany needs 'foreignKey': the field of the target that holds this resource's key — Give 'Tag' a belongsTo 'Post' first",
    ],
  },
  {
    name: 'a hasMany whose key leads elsewhere',
    post: { relationships: { comments: { type: 'hasMany', target: 'Comment', foreignKey: 'tagId' } } },
    domain: {
      resources: {
        Tag,
        Comment: { object: { body: 'text' }, relationships: { tag: { type: 'belongsTo', target: 'Tag' } } },
      },
    },
    told: [
      "relationships.comments.foreignKey: 'tagId' of 'Comment' leads to 'Tag', not to 'Post' — Name the field of 'Comment' that holds the key of a Post",
    ],
  },
  {
    name: 'a hasMany whose key is of another type',
    post: { relationships: { comments: { type: 'hasMany', target: 'Comment', foreignKey: 'ref' } } },
    domain: { resources: { Comment: { object: { ref: 'integer' } } } },
    told: [
      "relationships.comments.foreignKey: 'ref' is an integer, and the key of 'Post' is a uuid — Give both the same type",
    ],
  },
  {
    name: 'a hasMany that is sorted and filtered by what is not there or does not fit',
    post: {
      relationships: {
        comments: {
          type: 'hasMany',
          target: 'Comment',
          foreignKey: 'postId',
          orderBy: { bdy: 'asc', meta: 'desc', shout: 'asc' },
          where: { size: 'big', shout: 'X' },
        },
      },
    },
    domain: {
      resources: {
        Comment: {
          ...Comment,
          object: { body: 'text', size: 'integer', meta: 'json' },
          computed: { shout: 'upper(body)' },
        },
      },
    },
    told: [
      "relationships.comments.orderBy.bdy: 'Comment' has no field 'bdy' — Did you mean 'body'?",
      'relationships.comments.orderBy.meta: a json has no order',
      "relationships.comments.orderBy.shout: 'shout' is worked out on every read — Store it: stored: true",
      'relationships.comments.where.size: the value does not fit: must be a whole number from -9007199254740991 to 9007199254740991',
      "relationships.comments.where.shout: 'shout' is worked out on every read — Store it: stored: true",
    ],
  },
  {
    name: 'two ends of one table with different keys',
    post: { relationships: { tags: { type: 'belongsToMany', target: 'Tag', through: 'PostTag' } } },
    domain: {
      resources: {
        Tag: {
          ...Tag,
          relationships: {
            posts: { type: 'belongsToMany', target: 'Post', through: 'PostTag', otherKey: 'articleId' },
          },
        },
      },
    },
    told: [
      "domain.resources.Tag.relationships.posts: 'Post.tags' declares the same table otherwise: postId (Post, uuid), tagId (Tag, uuid), here articleId (Post, uuid), tagId (Tag, uuid) — Give both ends the same keys (swapped) and timestamps, or another 'through'",
    ],
  },
  {
    name: 'a table between two that is the table of a third',
    post: { relationships: { tags: { type: 'belongsToMany', target: 'Tag', through: 'Comment' } } },
    domain: { resources: { Tag, Comment } },
    told: [
      "relationships.tags.through: the table between the two would be that of 'Comment' — Choose another name, or link through 'Comment' by hasMany and belongsTo",
    ],
  },

  // Indexes and scopes
  {
    name: 'indexes over what cannot be found by',
    post: {
      object: { title: 'string', meta: 'json' },
      indexes: [
        { fields: ['titel'], name: 'a' },
        { fields: ['title', 'title'], name: 'b' },
        { fields: ['meta'], name: 'a' },
      ],
    },
    told: [
      "indexes.0.fields.0: 'Post' has no field 'titel' — Did you mean 'title'?",
      "indexes.1.fields.1: 'title' stands in this index twice",
      "indexes.2.fields.0: 'meta' is a json, which has no order to be found by",
      "indexes.2.name: another index is called 'a'",
    ],
  },
  {
    name: 'scopes that cannot be read',
    post: {
      scopes: {
        a: { filter: "titel = 'x'" },
        b: { filter: 'title = (select 1)' },
        c: { filter: "title = :currentUserId AND title LIKE 'a%'" },
      },
    },
    told: [
      "scopes.a.filter: there is no stored field 'titel' (character 1) — did you mean 'title'?",
      "scopes.b.filter: there is no stored field 'select' (character 10)",
    ],
  },
  {
    name: 'two default scopes',
    post: { scopes: { a: { filter: '', default: true }, b: { filter: '', default: true } } },
    told: ["scopes.b.default: 'a' is the default scope already — Keep one default"],
  },
]

describe('a model is refused for', () => {
  it.each(MISTAKES)('$name', async ({ post = {}, domain, told: expected }) => {
    const problems = await problemsOf(definitionOf(post, domain))
    expect(problems.map(told)).toEqual(expected)
    expect(problems.every(({ position }) => position !== undefined)).toBe(true)
  })
})
