import { nearest } from '@svc/kernel'
import type { Call, Literal, Node } from '../syntax/ast.ts'
import { didYouMean, errorAt, warningAt } from '../fault.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { member } from '../values/semantics.ts'
import { defineFunction, type Inspection } from './function.ts'

/** Functions that ask about the caller, the record or both. */
export const PERMISSION_FUNCTIONS = {
  hasRole: defineFunction({
    takes: ['text'],
    gives: 'boolean',
    reads: ['caller'],
    evaluate: ([role], { user }) => user?.roles.includes(role) ?? false,
  }),
  hasAnyRole: defineFunction({
    takes: ['texts'],
    repeats: true,
    gives: 'boolean',
    reads: ['caller'],
    evaluate: (lists, { user }) => lists.some((roles) => roles.some((role) => user?.roles.includes(role))),
  }),
  isAuthenticated: defineFunction({
    takes: [],
    gives: 'boolean',
    reads: ['caller'],
    evaluate: (_, { user }) => user !== undefined && user.kind !== 'anonymous',
  }),
  userId: defineFunction({
    takes: [],
    gives: 'text',
    reads: ['caller'],
    evaluate: (_, { user }) => user?.id ?? null,
  }),
  isOwner: defineFunction({
    takes: [],
    gives: 'boolean',
    reads: ['caller', 'record'],
    inspect: (_, { ownerField }) => (ownerField === undefined ? {} : { fields: [ownerField] }),
    // Nobody owns what is not there yet, whatever the body says.
    evaluate: (_, { user, record, op }, { ownerField }) => {
      if (op === 'create' || ownerField === undefined || user === undefined || user.id === null) return false
      return member(record ?? null, ownerField) === user.id
    },
  }),
  inState: defineFunction({
    takes: ['texts'],
    repeats: true,
    gives: 'boolean',
    reads: ['record'],
    inspect: inspectStates,
    evaluate: (lists, { record }, { state }) => {
      const present = state === undefined ? null : member(record ?? null, state.field)
      return lists.some((names) => names.some((name) => name === present))
    },
  }),
  field: defineFunction({
    takes: ['text'],
    gives: 'unknown',
    reads: ['record'],
    inspect: inspectField,
    evaluate: ([name], { record }) => member(record ?? null, name),
  }),
  hasField: defineFunction({
    takes: ['text'],
    gives: 'boolean',
    reads: ['record'],
    inspect: inspectPresence,
    // A record may have more than the place knows: columns that users have added.
    evaluate: ([name], { record }, { fields }) =>
      fields?.has(name) !== false && member(record ?? null, name) !== null,
  }),
}

interface TextLiteral extends Literal {
  readonly value: string
}
const isText = (node: Node): node is TextLiteral => node.kind === 'literal' && typeof node.value === 'string'

function inspectStates({ args, offset, name }: Call, { state }: Vocabulary): Inspection {
  if (state === undefined)
    return { faults: [errorAt(offset, `'${name}' needs a resource with a state machine`)] }
  const unknown = args
    .flatMap((node) => (node.kind === 'list' ? node.items : [node]))
    .filter((node) => isText(node))
    .filter(({ value }) => !state.names.has(value))
  return {
    fields: [state.field],
    faults: unknown.map(({ offset: at, value }) =>
      errorAt(at, `there is no state '${value}'`, didYouMean(nearest(value, state.names))),
    ),
  }
}

function inspectField({ args: [node], offset, name }: Call, { fields }: Vocabulary): Inspection {
  if (node === undefined || !isText(node)) return notWritten(name, offset)
  if (fields === undefined || fields.has(node.value)) return { fields: [node.value] }
  const hint = didYouMean(nearest(node.value, fields.keys()))
  return { faults: [errorAt(node.offset, `there is no field '${node.value}'`, hint)] }
}

/** To ask for a field that no record has is allowed: the answer is no. */
function inspectPresence({ args: [node], offset, name }: Call, { fields }: Vocabulary): Inspection {
  if (node === undefined || !isText(node)) return notWritten(name, offset)
  if (fields === undefined || fields.has(node.value)) return { fields: [node.value] }
  return { faults: [warningAt(node.offset, `there is no field '${node.value}', so that this is never true`)] }
}

const notWritten = (name: string, offset: number): Inspection => ({
  faults: [errorAt(offset, `'${name}' needs the field's name as a text`, `write it as ${name}('title')`)],
})
