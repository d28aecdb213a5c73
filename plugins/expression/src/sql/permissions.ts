import type { Scalar } from '@svc/store/contract'
import type { PERMISSION_FUNCTIONS } from '../functions/permission.ts'
import { isList } from '../values/kind.ts'
import { constantly, NO_RECORD, type SqlCall, type SqlFunction, unlessNull } from './call.ts'
import { comparePlainly } from './compare.ts'
import {
  as,
  constant,
  isNull,
  junction,
  not,
  NULL,
  single,
  type Term,
  type Translation,
  Untranslatable,
  valueOf,
} from './term.ts'

const hasRole = ({ args }: SqlCall): Translation => {
  const [part] = args.map(single)
  return {
    type: 'boolean',
    bind(context) {
      const role = as(part?.bind(context) ?? NULL, 'text')
      if (role === undefined) return NULL
      const values = [...(context.user?.roles ?? [])]
      const found: Scalar =
        values.length === 0 ? valueOf('boolean', false) : { op: 'in', of: role, type: 'text', values }
      return unlessNull(role, found, 'boolean')
    },
  }
}

const isOwner = ({ vocabulary: { ownerField }, field }: SqlCall): Translation => {
  if (ownerField === undefined) return constantly(false)
  const owner = field(ownerField)
  return {
    type: 'boolean',
    bind(context) {
      const id = context.op === 'create' ? null : (context.user?.id ?? null)
      return id === null ? constant(false) : comparePlainly('same', owner.bind(context), constant(id))
    },
  }
}

const inState = ({ vocabulary: { state }, field, args, node }: SqlCall): Translation => {
  if (args.some(({ type }) => type !== undefined))
    throw new Untranslatable(node, 'the names of states have to be known before the query')
  if (state === undefined) return constantly(false)
  const present = field(state.field)
  return {
    type: 'boolean',
    bind(context) {
      const names = args.map((arg) => namesOf(arg.bind(context)))
      if (names.includes(undefined)) return NULL
      const term = present.bind(context)
      return junction(
        'or',
        names.flatMap((some) => some ?? []).map((name) => comparePlainly('same', term, constant(name))),
      )
    },
  }
}

/** A text, or the texts of a list without its nulls. */
function namesOf(term: Term): readonly string[] | undefined {
  const value = term.scalar === undefined ? term.value : null
  if (typeof value === 'string') return [value]
  if (!isList(value)) return undefined
  const names = value.filter((one) => typeof one === 'string')
  return names.length < value.filter((one) => one !== null).length ? undefined : names
}

const literalOf = ({ args: [part] }: SqlCall): string | undefined =>
  part?.node.kind === 'literal' && typeof part.node.value === 'string' ? part.node.value : undefined

const namedField = (asked: SqlCall): Translation => {
  const name = literalOf(asked)
  if (name === undefined) throw new Untranslatable(asked.node, 'the name of the field has to be written out')
  return asked.field(name)
}

const hasField = (asked: SqlCall): Translation => {
  const field = namedField(asked)
  return { type: 'boolean', bind: (context) => not(isNull(field.bind(context))) }
}

/** How the functions that ask about the caller and the record become scalars. */
export const SQL_PERMISSIONS = {
  hasRole,
  hasAnyRole: 'roles have to be known before the query',
  isAuthenticated: NO_RECORD,
  userId: NO_RECORD,
  isOwner,
  inState,
  field: namedField,
  hasField,
} satisfies Record<keyof typeof PERMISSION_FUNCTIONS, SqlFunction>
