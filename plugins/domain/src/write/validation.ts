import type { FieldError } from '@svc/kernel'
import type { ValidationRule } from '../model/validation.ts'
import { localized } from '../present/localized.ts'
import { workOutAll } from '../present/formulas.ts'
import type { Change } from './change.ts'

/** Holds the record as it will be against the resource's validation rules. */
export function checkRules(change: Change): void {
  const { resource, kind, previous, values, caller, access, faults } = change
  const moment = kind === 'create' ? 'create' : 'update'
  const rules = resource.validation.filter(({ on }) => on.includes(moment))
  if (rules.length === 0) return
  const record = workOutAll({ ...previous, ...values }, access)
  const context = { record, previous, user: caller, op: moment, now: access.now }
  faults.push(...rules.filter(({ expression }) => !expression.holds(context)).flatMap(faultsOf))
}

function faultsOf({ name, message, fields, expression }: ValidationRule): FieldError[] {
  const text = localized(message) ?? `'${expression.source}' does not hold`
  return (fields.length === 0 ? [''] : fields).map((field) => ({ field, rule: name, message: text }))
}
