import { StartupError } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type FieldDefinition, fieldSchema } from '../definition/schema/field.ts'
import { FieldTypeError } from './field-type-error.ts'
import type { FieldType } from './field-type.ts'
import { createFieldTypes, FIELD_TYPES } from './index.ts'
import { textType } from './text-type.ts'

const types = createFieldTypes()
const scope = {
  allowed: undefined,
  blocks: new Map(),
  enums: new Map([['Size', { values: new Map([['S', {}]]) }]]),
}

const compile = (definition: FieldDefinition) => {
  const allowed = Array.isArray(definition.enum) ? definition.enum : undefined
  return types.compile(types.find(definition.type ?? '')!, definition, { ...scope, allowed })
}

/** Where and how a definition is refused. */
function misuse(definition: FieldDefinition): readonly string[] {
  try {
    compile(definition)
    return []
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error
    return error.all.map(
      ({ path, message, hint }) => `${path.join('.')}: ${message}${hint ? ` (${hint})` : ''}`,
    )
  }
}

describe('attributes that make no sense', () => {
  it.each<[FieldDefinition, readonly string[]]>([
    [{ type: 'string', minLength: 5, maxLength: 3 }, ['maxLength: maxLength 3 is below minLength 5']],
    [{ type: 'password', maxLength: 5 }, ['maxLength: maxLength 5 is below minLength 8']],
    [{ type: 'integer', min: 5, max: 3 }, ['min: min 5 is above max 3']],
    [{ type: 'integer', min: '5' }, ['min: min must be a number']],
    [{ type: 'date', min: '2026-02-30' }, ['min: min must be a date as YYYY-MM-DD']],
    [{ type: 'date', min: 5, max: '2026-01-01' }, ['min: min must be a date as YYYY-MM-DD']],
    [{ type: 'date', min: '2026-01-02', max: '2026-01-01' }, ['min: min 2026-01-02 is above max 2026-01-01']],
    [{ type: 'money', scale: -1 }, ['scale: scale must be a whole number from 0 to 20']],
    [{ type: 'decimal', scale: '2' }, ['scale: scale must be a whole number from 0 to 20']],
    [
      { type: 'integer', enum: ['1'] },
      ["enum: the type 'integer' takes no enum (Take a field of type 'string')"],
    ],
    [
      { type: 'array', enum: ['1'] },
      ["enum: the type 'array' takes no enum (Take a field of type 'string')"],
    ],
    [
      { type: 'country', enum: ['DE', 'XX'] },
      [
        "enum: the value 'XX' does not fit: must be a country code of ISO 3166-1 with two capital letters, as in DE",
      ],
    ],
    [
      { type: 'array', items: 'strng' },
      ["items.type: there is no field type 'strng' (Did you mean 'string'?)"],
    ],
    [
      { type: 'array', items: 'varchar' },
      ["items.type: there is no field type 'varchar' (Write 'type: string')"],
    ],
    [{ type: 'array', items: 5 }, ['items: items must be the name of a type or a map of attributes']],
    [{ type: 'array', items: {} }, ["items: a field needs a type (Write 'type: string', for example)"]],
    [
      { type: 'array', items: 'password' },
      ["items.type: the type 'password' cannot stand inside another field (Make it a field of the resource)"],
    ],
    [
      { type: 'set', items: 'autoincrement' },
      [
        "items.type: the type 'autoincrement' cannot stand inside another field (Make it a field of the resource)",
      ],
    ],
    [
      { type: 'array', items: { type: 'string', enum: 'Siez' } },
      ["items.enum: there is no enumeration 'Siez' (Did you mean 'Size'?)"],
    ],
    [{ type: 'repeater', minItems: 3, maxItems: 2 }, ['maxItems: maxItems 2 is below minItems 3']],
    [{ type: 'component', fields: { __proto__x: 'string' } }, []],
    [
      { type: 'component', fields: { constructor: 'string' } },
      ["fields.constructor: 'constructor' cannot name a field (Use letters, digits and _, no digit first)"],
    ],
    [
      { type: 'component', fields: { a: { type: 'integer', default: 'x' } } },
      [
        'fields.a.default: the default does not fit: must be a whole number from -9007199254740991 to 9007199254740991',
      ],
    ],
  ])('%j is refused at the attribute', (definition, expected) => {
    expect(misuse(definition)).toEqual(expected)
  })

  it('are told all at once', () => {
    const definition: FieldDefinition = {
      type: 'repeater',
      minItems: -1,
      fields: {
        a: { type: 'string', minLength: 2, maxLength: 1, pattern: '[' },
        b: { type: 'component', fields: { c: { type: 'money', min: 2, max: 1, scale: 99 } } },
        d: 'strin',
      },
    }
    expect(misuse(definition).map((line) => line.split(':')[0])).toEqual([
      'fields.a.maxLength',
      'fields.a.pattern',
      'fields.b.fields.c.min',
      'fields.b.fields.c.scale',
      'fields.d.type',
      'minItems',
    ])
  })

  it('that only other types understand are told apart from the rest', () => {
    const definition = {
      type: 'boolean',
      label: 'x',
      maxLength: 3,
      min: 0,
      scale: 2,
      items: 'string',
      required: true,
    }
    expect(types.unused(types.find('boolean')!, definition)).toEqual(['maxLength', 'min', 'scale', 'items'])
    expect(types.unused(types.find('decimal')!, { type: 'decimal', min: 0, scale: 2 })).toEqual([])
  })
})

describe('OpenAPI', () => {
  it.each<[FieldDefinition, object]>([
    [
      { type: 'string', minLength: 1, maxLength: 5, pattern: '^a' },
      { type: 'string', minLength: 1, maxLength: 5, pattern: '^a' },
    ],
    [
      { type: 'string', enum: ['a', 'b'] },
      { type: 'string', enum: ['a', 'b'] },
    ],
    [{ type: 'text' }, { type: 'string' }],
    [
      { type: 'integer', min: 1, max: 5 },
      { type: 'integer', minimum: 1, maximum: 5 },
    ],
    [{ type: 'bytes' }, { type: 'integer', minimum: 0 }],
    [{ type: 'autoincrement' }, { type: 'integer', readOnly: true }],
    [{ type: 'decimal' }, { type: 'number', format: 'double' }],
    [
      { type: 'money', min: 0 },
      { type: 'number', format: 'double', minimum: 0 },
    ],
    [{ type: 'float' }, { type: 'number', format: 'double' }],
    [{ type: 'percentage' }, { type: 'number', format: 'double' }],
    [{ type: 'boolean' }, { type: 'boolean' }],
    [{ type: 'date' }, { type: 'string', format: 'date' }],
    [{ type: 'datetime' }, { type: 'string', format: 'date-time' }],
    [{ type: 'timestamp' }, { type: 'string', format: 'date-time' }],
    [{ type: 'uuid' }, { type: 'string', format: 'uuid' }],
    [{ type: 'email' }, { type: 'string', format: 'email' }],
    [{ type: 'url' }, { type: 'string', format: 'uri' }],
    [{ type: 'phone' }, { type: 'string', pattern: expect.any(String) }],
    [{ type: 'json' }, { type: 'object' }],
    [{ type: 'password' }, { type: 'string', minLength: 8, format: 'password', writeOnly: true }],
    [
      { type: 'array', items: 'integer', minItems: 1 },
      { type: 'array', items: { type: 'integer' }, minItems: 1 },
    ],
    [
      { type: 'set', items: 'date' },
      { type: 'array', items: { type: 'string', format: 'date' }, uniqueItems: true },
    ],
    [{ type: 'blocks' }, { type: 'array', items: expect.objectContaining({ required: ['type', 'data'] }) }],
    [
      { type: 'component', fields: { a: { type: 'string', required: true }, b: 'integer' } },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, required: ['a'] },
    ],
    [
      { type: 'repeater', fields: { a: 'uuid' } },
      { type: 'array', items: { type: 'object', properties: { a: { type: 'string', format: 'uuid' } } } },
    ],
  ])('describes %j', (definition, expected) => {
    expect(compile(definition).openapi).toEqual(expected)
  })
})

describe('what types can do', () => {
  const those = (holds: (type: FieldType) => boolean) => FIELD_TYPES.filter(holds).map(({ name }) => name)

  it('search looks into words alone', () => {
    expect(those((type) => type.searchable)).toEqual(['string', 'text', 'markdown'])
  })

  it('passwords alone are never shown, and nothing compares or sorts them', () => {
    expect(those((type) => !type.readable)).toEqual(['password'])
    expect(types.find('password')).toMatchObject({ operators: [], sortable: false })
  })

  it('structured values can only be there or not', () => {
    const structured = ['json', 'array', 'set', 'blocks', 'component', 'repeater']
    expect(those((type) => type.operators.join() === 'null')).toEqual(structured)
    expect(those((type) => !type.sortable)).toEqual([...structured, 'password'])
  })

  it('a token is made of 32 random bytes', () => {
    const token = types.find('token')!.make!((size) => new Uint8Array(size).fill(255))
    expect(Buffer.from(String(token), 'base64url')).toEqual(Buffer.alloc(32, 255))
    expect(those((type) => type.make !== undefined)).toEqual(['token'])
    expect(those((type) => type.generated)).toEqual(['autoincrement'])
  })
})

describe('the registry', () => {
  it('finds types by name and alias, and says what to write for a slip or a word of other systems', () => {
    const aliases = ['int', 'number', 'double', 'bool', 'md'].map((name) => types.find(name)?.name)
    expect(aliases).toEqual(['integer', 'decimal', 'float', 'boolean', 'markdown'])
    expect([types.find('constructor'), ...['strng', 'Timestamptz', 'qqqqqqqq'].map(types.advice)]).toEqual([
      undefined,
      "Did you mean 'string'?",
      "Write 'type: datetime'",
      undefined,
    ])
  })

  it('takes types of other plugins, with attributes of their own', () => {
    const isbn = textType({
      name: 'isbn',
      attributes: { digits: z.literal([10, 13]), scale: z.literal('any') },
      format: { sentence: 'format', matches: (text) => /^[0-9]{13}$/.test(text) },
    })
    const extended = createFieldTypes([isbn])
    const field = fieldSchema(extended.attributes)
    expect(field.safeParse({ type: 'isbn', digits: 13, scale: 'any' }).success).toBe(true)
    expect(field.safeParse({ type: 'isbn', digits: 11 }).success).toBe(false)
    const compiled = extended.compile(isbn, { type: 'isbn' }, scope)
    expect(compiled.check('x')).toEqual({
      faults: [{ rule: 'format', params: {} }],
    })
  })

  it('refuses a taken name, a taken alias and an attribute that every field has', () => {
    expect(() => createFieldTypes([textType({ name: 'string' })])).toThrow(StartupError)
    expect(() => createFieldTypes([textType({ name: 'words', aliases: ['md'] })])).toThrow(
      /'markdown' and 'words'/,
    )
    expect(() =>
      createFieldTypes([textType({ name: 'words', attributes: { required: z.string() } })]),
    ).toThrow(/Rename/)
  })

  it('adds the attributes of all types to the language, fields inside fields too', () => {
    const field = fieldSchema(types.attributes)
    const good = {
      type: 'repeater',
      minItems: 1,
      fields: { a: { type: 'array', items: { type: 'money', scale: 3 } } },
    }
    expect(field.safeParse(good).success).toBe(true)
    expect(field.safeParse({ type: 'array', items: { type: 'money', scale: 'x' } }).success).toBe(false)
    expect(field.safeParse({ type: 'array', items: { type: 'money', scael: 2 } }).success).toBe(false)
  })
})
