import type { ValidationRule } from '../model/validation.ts'
import { workOutAll } from '../present/formulas.ts'
import type { Fault } from '../speech/speech.ts'
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

const faultsOf = ({ name, message, fields, expression }: ValidationRule): readonly Fault[] =>
  (fields.length === 0 ? [''] : fields).map((field) => ({
    field,
    rule: name,
    message: "'{expression}' does not hold",
    params: { expression: expression.source },
    ...(message !== undefined && { text: message }),
  }))
