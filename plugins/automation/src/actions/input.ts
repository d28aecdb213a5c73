import {
  type CompiledValue,
  type Expression,
  type Field,
  inZone,
  type Path,
  type Resource,
  sentenceOf,
  type Site,
} from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import { didYouMean } from '../triggers/names.ts'
import type { ActionPlace } from './action.ts'

/** The values that an action gives a record. */
export interface CompiledInput {
  readonly expressions: readonly Expression[]
  /** The values now, in the form that the fields want. */
  evaluate(context: EvaluationContext): Row
}

/** Compiles `input` against the fields of the resource that it is for; undefined where something is wrong, which is reported. */
export function compileInput(
  written: Readonly<Record<string, unknown>>,
  target: Resource,
  place: ActionPlace,
): CompiledInput | undefined {
  const compiled = Object.entries(written).map(([name, value]) => {
    const path = [...place.path, 'input', name]
    const field = writableField(name, path, target, place.site)
    return field && compileOne(value, field, path, place)
  })
  const values = compiled.filter((one) => one !== undefined)
  if (values.length < compiled.length) return undefined
  return {
    expressions: values.flatMap(({ value }) => value.expressions),
    evaluate: (context) =>
      Object.fromEntries(values.map(({ field, value, fit }) => [field.name, fit(value.evaluate(context))])),
  }
}

/** Finds a field that a write may set; reports one that is not declared, or that the service works out. */
function writableField(
  name: string,
  path: Path,
  { name: of, fields }: Resource,
  site: Pick<Site, 'problem'>,
): Field | undefined {
  const field = fields.get(name)
  if (field === undefined)
    site.problem(path, `'${of}' has no field '${name}'`, didYouMean(name, fields.keys()))
  else if (field.computed !== undefined)
    site.problem(path, `'${name}' is worked out by the service: nothing else sets it`, 'Take it away')
  else return field
  return undefined
}

interface FieldValue {
  readonly field: Field
  readonly value: CompiledValue
  readonly fit: (value: Value) => Value
}

function compileOne(
  written: unknown,
  field: Field,
  path: Path,
  { site, speech, zone = 'UTC' }: ActionPlace,
): FieldValue | undefined {
  const value = site.value(written, path, speech)
  if (value === undefined) return undefined
  const fit = (given: Value) => inZone(given, field, zone)
  if (value.isConstant && !checkLiteral(fit(value.evaluate(NOTHING)), field, path, site)) return undefined
  return { field, value, fit }
}

/** What a literal is evaluated with: it asks for nothing. */
const NOTHING: EvaluationContext = Object.freeze({ now: () => 0 })

/** Whether a literal may stand in a field; reports why it may not. */
function checkLiteral(value: Value, field: Field, path: Path, site: Pick<Site, 'problem'>): boolean {
  if (value === null) {
    if (!field.required) return true
    site.problem(path, `'${field.name}' must not be empty`)
    return false
  }
  const checked = field.compiled.check(value)
  if ('value' in checked) return true
  for (const { path: inside, ...fault } of checked.faults)
    site.problem(
      inside === undefined ? path : [...path, ...inside.split('.')],
      `the value does not fit '${field.name}': ${sentenceOf(fault)}`,
    )
  return false
}
