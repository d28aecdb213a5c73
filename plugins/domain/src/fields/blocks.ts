import { nearest } from '@svc/kernel'
import { finding } from '../speech/sentences.ts'
import { isObject } from './check/json.ts'
import { memberCheck } from './check/members.ts'
import { accepted, faultsAt, refusal } from './check/rule.ts'
import type { Check, FieldContext, Members, ValueFault } from './field-type.ts'
import { listType } from './list-type.ts'

/** The content of a page: a list of `{type, data}`, each of a block that the definition declares. */
export const blocks = listType({
  name: 'blocks',
  attributes: {},
  item: (_, context) => ({
    check: blockCheck(context.blocks),
    openapi: {
      type: 'object',
      properties: { type: { type: 'string' }, data: { type: 'object' } },
      required: ['type', 'data'],
    },
    members: { blocks: context.blocks },
  }),
})

const NO_OBJECT = refusal('type.block')

function blockCheck(declared: FieldContext['blocks']): Check {
  const checkOf = remembered(declared)
  return (value) => {
    if (!isObject(value)) return NO_OBJECT
    const { type, data = {}, ...others } = value
    const faults: ValueFault[] = Object.keys(others).map((path) => ({
      ...finding('unknown.block'),
      path,
    }))
    const check = typeof type === 'string' ? checkOf(type) : undefined
    if (check === undefined) return { faults: [...faults, typeFault(type, declared)] }
    const checked = check(data)
    if (!('value' in checked)) return { faults: [...faults, ...faultsAt('data', checked.faults)] }
    if (faults.length > 0) return { faults }
    return accepted({ type: type!, data: checked.value }, faultsAt('data', checked.remarks ?? []))
  }
}

/** Blocks may hold blocks, so a block's check is made when it is first met. */
function remembered(declared: ReadonlyMap<string, Members>): (type: string) => Check | undefined {
  const checks = new Map<string, Check>()
  return (type) => {
    const members = declared.get(type)
    if (members === undefined) return undefined
    const check = checks.get(type) ?? memberCheck(members)
    checks.set(type, check)
    return check
  }
}

function typeFault(type: unknown, declared: FieldContext['blocks']): ValueFault {
  if (typeof type !== 'string') return { ...finding('type.blockName'), path: 'type' }
  const meant = nearest(type, declared.keys())
  const values = [...declared.keys()].slice(0, MOST_LISTED)
  const fault =
    meant === undefined ? finding('enum.block', { values }) : finding('enum.similarBlock', { values, meant })
  return { ...fault, path: 'type' }
}

/** So many names are handed on. */
const MOST_LISTED = 20
