import { nearest } from '@svc/kernel'
import { z } from 'zod'
import { didYouMean } from '../definition/names.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import { finding } from '../speech/sentences.ts'
import { readAttribute } from './attribute.ts'
import { isObject } from './check/json.ts'
import { memberCheck } from './check/members.ts'
import { accepted, faultsAt, notAmong, refusal } from './check/rule.ts'
import { FieldTypeError, throwAll } from './field-type-error.ts'
import type { Check, FieldContext, ValueFault } from './field-type.ts'
import { listType } from './list-type.ts'

const Allow = z
  .array(z.string().min(1))
  .min(1)
  .describe('The names of the blocks that it admits; all unless said.')

/** The content of a page: a list of `{type, data}`, each of a block that the definition declares. */
export const blocks = listType({
  name: 'blocks',
  attributes: { allow: Allow },
  item(definition, { blocks: declared }) {
    const allowed = allowedIn(definition, declared)
    return {
      check: blockCheck(declared, allowed),
      openapi: {
        type: 'object',
        properties: {
          type: { type: 'string', ...(allowed && { enum: [...allowed] }) },
          data: { type: 'object' },
        },
        required: ['type', 'data'],
      },
      members: { blocks: declared },
      ...(allowed && { facts: { allow: [...allowed] } }),
    }
  },
})

/** The only blocks that a field admits; undefined where it admits all. Throws FieldTypeError for those that are not declared. */
function allowedIn(
  definition: FieldDefinition,
  declared: FieldContext['blocks'],
): ReadonlySet<string> | undefined {
  const names = readAttribute(definition, 'allow', Allow)
  throwAll(
    (names ?? []).flatMap((name, at) =>
      declared.has(name)
        ? []
        : new FieldTypeError(['allow', at], `there is no block '${name}'`, didYouMean(name, declared.keys())),
    ),
  )
  return names && new Set(names)
}

const NO_OBJECT = refusal('type.block')

function blockCheck(declared: FieldContext['blocks'], allowed: ReadonlySet<string> | undefined): Check {
  const checkOf = remembered(declared)
  return (value) => {
    if (!isObject(value)) return NO_OBJECT
    const { type, data = {}, ...others } = value
    const faults: ValueFault[] = Object.keys(others).map((path) => ({
      ...finding('unknown.block'),
      path,
    }))
    const isAllowed = typeof type === 'string' && (allowed?.has(type) ?? true)
    const check = isAllowed ? checkOf(type) : undefined
    if (check === undefined) return { faults: [...faults, typeFault(type, declared, allowed)] }
    const checked = check(data)
    if (!('value' in checked)) return { faults: [...faults, ...faultsAt('data', checked.faults)] }
    if (faults.length > 0) return { faults }
    return accepted({ type: type!, data: checked.value }, faultsAt('data', checked.remarks ?? []))
  }
}

/** Blocks may hold blocks, so a block's check is made when it is first met. */
function remembered(declared: FieldContext['blocks']): (type: string) => Check | undefined {
  const checks = new Map<string, Check>()
  return (type) => {
    const members = declared.get(type)
    if (members === undefined) return undefined
    const check = checks.get(type) ?? memberCheck(members)
    checks.set(type, check)
    return check
  }
}

function typeFault(
  type: unknown,
  declared: FieldContext['blocks'],
  allowed: ReadonlySet<string> | undefined,
): ValueFault {
  if (typeof type !== 'string') return { ...finding('type.blockName'), path: 'type' }
  if (allowed !== undefined) return { ...notAmong([...allowed]), path: 'type' }
  const meant = nearest(type, declared.keys())
  const values = [...declared.keys()].slice(0, MOST_LISTED)
  const fault =
    meant === undefined ? finding('enum.block', { values }) : finding('enum.similarBlock', { values, meant })
  return { ...fault, path: 'type' }
}

/** So many names are handed on. */
const MOST_LISTED = 20
