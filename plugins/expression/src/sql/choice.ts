import type { Scalar, ScalarType } from '@svc/store/contract'
import type { Kind } from '../values/kind.ts'
import {
  as,
  asCondition,
  computed,
  type DateForm,
  NULL,
  nullOf,
  type Part,
  single,
  type Term,
  type Translation,
  Untranslatable,
} from './term.ts'

/** The first value that is not null. */
export function firstOf(parts: readonly Part[]): Translation {
  const { type, form } = common(parts)
  return {
    type,
    form,
    bind(context) {
      const of: Scalar[] = []
      for (const part of parts) {
        const scalar = as(part.bind(context), type)
        if (scalar !== undefined) of.push(scalar)
        if (scalar?.op === 'value') break
      }
      const [first] = of
      if (first === undefined) return NULL
      return computed(of.length === 1 ? first : { op: 'coalesce', of }, type)
    },
  }
}

/** One of two values: the second where the test is not true. */
export function choice(test: Part, consequent: Part, alternate: Part): Translation {
  const { type, form } = common([consequent, alternate])
  const condition = single(test)
  return {
    type,
    form,
    bind(context) {
      const asked = condition.bind(context)
      if (asked.scalar === undefined) return (asked.value === true ? consequent : alternate).bind(context)
      const scalarOf = (term: Term): Scalar => as(term, type) ?? nullOf(type)
      return computed(
        {
          op: 'if',
          test: asCondition(asked),
          consequent: scalarOf(consequent.bind(context)),
          alternate: scalarOf(alternate.bind(context)),
        },
        type,
      )
    },
  }
}

/** What a value that is known before the query can be, from its kind. */
const TYPES: Readonly<Record<Kind, ScalarType | 'any' | 'none'>> = {
  text: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'text',
  datetime: 'text',
  null: 'none',
  list: 'any',
  object: 'any',
  unknown: 'any',
}

/** The type of what a part gives; undefined where that is always null. */
export function knownType(part: Part): ScalarType | undefined {
  const { type = TYPES[part.kind] } = single(part)
  if (type === 'any') throw new Untranslatable(part.node, 'this may be of any type, and SQL has to know')
  return type === 'none' ? undefined : type
}

/** What several parts give alike. A column of a query has one type, so that parts of different types are refused. */
function common(parts: readonly Part[]): { readonly type: ScalarType; readonly form: DateForm | undefined } {
  const forms = new Set<DateForm | undefined>()
  let found: ScalarType | undefined
  for (const part of parts) {
    const type = knownType(part)
    if (type === undefined) continue
    if (found !== undefined && type !== found)
      throw new Untranslatable(
        part.node,
        `this is ${type} where it could be ${found}, and SQL has one type for all`,
      )
    found = type
    forms.add(part.form)
  }
  const [form] = forms
  return {
    type: found ?? 'text',
    form: forms.size === 1 ? form : forms.has(undefined) ? undefined : 'either',
  }
}
