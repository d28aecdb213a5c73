import { nearest } from '@svc/kernel'
import { isObject } from './check/json.ts'
import { memberCheck } from './check/members.ts'
import { faultsAt, refusal } from './check/rule.ts'
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

const NO_OBJECT = refusal('type', 'must be an object {type, data}')

function blockCheck(declared: FieldContext['blocks']): Check {
  const checkOf = remembered(declared)
  return (value) => {
    if (!isObject(value)) return NO_OBJECT
    const { type, data = {}, ...others } = value
    const faults: ValueFault[] = Object.keys(others).map((path) => ({
      path,
      rule: 'unknown',
      message: 'is not part of a block, which has type and data',
      params: {},
    }))
    const check = typeof type === 'string' ? checkOf(type) : undefined
    if (check === undefined) return { faults: [...faults, typeFault(type, declared)] }
    const checked = check(data)
    if (!('value' in checked)) return { faults: [...faults, ...faultsAt('data', checked.faults)] }
    return faults.length > 0 ? { faults } : { value: { type: type!, data: checked.value } }
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
  if (typeof type !== 'string')
    return { path: 'type', rule: 'type', message: 'must be the name of a block', params: {} }
  const meant = nearest(type, declared.keys())
  return {
    path: 'type',
    rule: 'enum',
    message: `is no declared block${meant === undefined ? '' : "; did you mean '{meant}'?"}`,
    params: { meant: meant ?? null },
  }
}
