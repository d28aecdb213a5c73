import { describe, expect, it } from 'vitest'
import type { Definition } from '../definition/schema/definition.ts'
import type { ResourceDefinition } from '../definition/schema/resource.ts'
import { createFieldTypes } from '../fields/index.ts'
import { buildModel } from './model.ts'
import { isExpression } from './permission.ts'
import { createReport } from './report.ts'
import type { Resource } from './resource.ts'

const types = createFieldTypes()

/** The resource Post of a model that nothing is wrong with. */
function build(post: Partial<ResourceDefinition>, others: Definition['resources'] = {}): Resource {
  const report = createReport()
  const Post = { object: { title: 'string' }, ...post }
  const model = buildModel(
    { name: 'blog', version: '1', resources: { Post, ...others } },
    { types, checksum: () => '', report },
  )
  expect(report.problems).toEqual([])
  return model.resources.get('Post')!
}

const typeOf = ({ fields }: Resource, name: string) => fields.get(name)?.compiled.type.name

describe('an enumeration', () => {
  it('is one list for all fields that hold its values, however many', () => {
    const report = createReport()
    const names = Array.from({ length: 50 }, (_, at) => `field${at}`)
    const object = Object.fromEntries(names.map((name) => [name, { type: 'string', enum: 'Size' }]))
    const model = buildModel(
      {
        name: 'shop',
        version: '1',
        enums: { Size: { values: ['S', 'M'] } },
        resources: { Shirt: { object }, Hat: { object } },
      },
      { types, checksum: () => '', report },
    )
    const lists = [...model.resources.values()].flatMap(({ fields }) =>
      names.map((name) => fields.get(name)!.compiled.openapi['enum']),
    )
    expect([lists.length, new Set(lists).size, lists[0]]).toEqual([100, 1, ['S', 'M']])
  })
})

describe('computed fields', () => {
  it('are worked out in an order in which each comes after those that it reads', () => {
    const post = build({
      computed: { c: 'b + 1', a: 'length(title)', b: { expression: 'a * 2', stored: true } },
    })
    expect(post.computed.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(post.computed.map(({ column }) => column?.kind)).toEqual([undefined, 'decimal', undefined])
  })

  it('have the type of their expression, unless they name one', () => {
    const post = build({
      object: { title: 'string', on: 'date', at: 'datetime', price: 'money', meta: 'json' },
      computed: {
        text: 'upper(title)',
        number: 'price * 2',
        condition: 'price > 2',
        day: 'addDays(on, 1)',
        moment: 'now()',
        list: "split(title, ',')",
        any: 'meta.deep',
        named: { type: 'percentage', expression: 'price / 2' },
        chained: 'condition',
      },
    })
    const names = ['text', 'number', 'condition', 'day', 'moment', 'list', 'any', 'named', 'chained']
    expect(names.map((name) => typeOf(post, name))).toEqual([
      'string',
      'decimal',
      'boolean',
      'date',
      'datetime',
      'array',
      'json',
      'percentage',
      'boolean',
    ])
  })

  it('stand where they are declared, with what is said about them', () => {
    const post = build({
      object: { a: { computed: 'b' }, b: 'integer', c: { type: 'integer', computed: 'b + 1', label: 'See' } },
      computed: { d: { expression: 'b', label: 'Dee', description: 'A d' } },
      relationships: { author: { type: 'belongsTo', target: 'User' } },
    })
    expect([...post.fields.keys()]).toEqual(['id', 'a', 'b', 'c', 'd', 'authorId'])
    expect(post.fields.get('c')?.label).toBe('See')
    expect(post.fields.get('d')).toMatchObject({ label: 'Dee', description: 'A d' })
  })

  it('may read the key of a relationship', () => {
    const post = build({
      computed: { anonymous: 'authorId == null' },
      relationships: { author: { type: 'belongsTo', target: 'User' } },
    })
    expect(post.computed[0]?.computed.expression.evaluate({ record: { authorId: null }, now: () => 0 })).toBe(
      true,
    )
  })
})

describe('expressions', () => {
  const post = build({
    object: { title: 'string', size: 'integer', authorId: 'uuid' },
    permissions: {
      list: ['*'],
      update: 'isOwner() and size < 5',
      conditional: { delete: { draft: "hasRole('editor')" } },
      transitions: { publish: 'size > 0' },
    },
    stateMachine: {
      field: 'title',
      initial: 'draft',
      states: {
        draft: { transitions: { publish: { to: 'live', guard: "inState('draft') and size > 3" } } },
        live: {},
      },
    },
    validation: { longer: 'previous == null or size >= previous.size' },
    api: { customOperations: [{ name: 'ship', permissions: 'size == 1' }] },
  })
  const now = () => 0

  it('of permissions are compiled, and roles stay roles', () => {
    const { list, get, update, conditional, transitions } = post.permissions
    expect(list).toEqual(['*'])
    expect(get).toEqual(['admin'])
    if (!isExpression(update)) throw new Error('an expression was expected')
    const user = { kind: 'user', id: 'u1', username: 'a', email: null, roles: [], claims: {} } as const
    expect(update.holds({ record: { size: 4, authorId: 'u1' }, user, now })).toBe(true)
    expect(update.holds({ record: { size: 4, authorId: 'u2' }, user, now })).toBe(false)
    expect(isExpression(conditional['delete']!['draft']!)).toBe(true)
    expect(isExpression(transitions['publish']!)).toBe(true)
    expect(isExpression(post.api.customOperations[0]!.permission)).toBe(true)
  })

  it('of guards and rules are compiled', () => {
    const { guard } = post.stateMachine!.from('draft').get('publish')!
    expect(guard?.holds({ record: { size: 4, title: 'draft' }, now })).toBe(true)
    expect(guard?.holds({ record: { size: 4, title: 'live' }, now })).toBe(false)
    const [rule] = post.validation
    expect(rule).toMatchObject({ name: 'longer', fields: [], on: ['create', 'update'] })
    expect(rule?.expression.holds({ record: { size: 1 }, previous: { size: 2 }, now })).toBe(false)
    expect(rule?.expression.holds({ record: { size: 1 }, now })).toBe(true)
  })
})

describe('a state machine', () => {
  const { stateMachine: machine } = build({
    object: { status: 'string', at: 'datetime', by: 'string', note: 'string' },
    stateMachine: {
      field: 'status',
      initial: 'draft',
      states: {
        draft: {
          label: 'Draft',
          onExit: ['tell'],
          transitions: {
            go: {
              to: 'live',
              guards: ['editor'],
              requiredFields: ['note'],
              sets: { at: 'now()', by: '$user.username', note: null },
            },
          },
        },
        live: { final: true },
      },
    },
  })

  it('knows its states and the ways between them', () => {
    expect(machine).toMatchObject({ field: 'status', initial: 'draft', transitions: ['go'] })
    expect([...machine!.states.keys()]).toEqual(['draft', 'live'])
    expect(machine!.states.get('draft')).toMatchObject({ label: 'Draft', onExit: ['tell'], final: false })
    expect(machine!.from('draft').get('go')).toMatchObject({
      to: 'live',
      guards: ['editor'],
      guard: undefined,
      requiredFields: ['note'],
    })
    expect(machine!.from('live').size).toBe(0)
    expect(machine!.from('nowhere').size).toBe(0)
  })

  it('knows what a transition sets', () => {
    expect([...machine!.from('draft').get('go')!.sets]).toEqual([
      ['at', { of: 'now' }],
      ['by', { of: 'user', fact: 'username' }],
      ['note', { of: 'value', value: null }],
    ])
  })
})

describe('the owner', () => {
  it('is kept in a field that can hold an account', () => {
    expect(build({ object: { userId: 'integer', authorId: 'uuid' } }).ownerField?.name).toBe('authorId')
    expect(build({ object: { userId: 'integer' } }).ownerField).toBeUndefined()
  })

  it('is the field that the definition names, whatever convention says (ruling 3.8)', () => {
    const object = { createdById: 'uuid', keeperId: 'uuid' }
    expect(build({ object, owner: 'keeperId' }).ownerField?.name).toBe('keeperId')
    expect(build({ object }).ownerField?.name).toBe('createdById')
  })
})
