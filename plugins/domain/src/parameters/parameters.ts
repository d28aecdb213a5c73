import { type Expression, kindOfColumn, type Known } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Site } from '../contract/site.ts'
import { didYouMean } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import { Text } from '../definition/schema/text.ts'
import type { CompiledType } from '../fields/field-type.ts'
import type { FieldTypes } from '../fields/index.ts'
import type { Enumeration } from '../model/enumeration.ts'
import { sentenceOf } from '../speech/sentence.ts'

/** A parameter as definitions write it. */
export const WrittenParameter = z.strictObject({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, {
    error: 'must be a letter, and up to 62 letters, digits and _ behind it',
  }),
  type: z.string().min(1).optional().describe('A scalar field type; string unless said.'),
  label: Text.optional(),
  optional: z.boolean().optional().describe('Whether it may be left out.'),
  enum: z
    .union([z.array(z.string()).min(1), z.string().min(1)])
    .optional()
    .describe('The values that it may have: a list, or an enumeration.'),
  default: z.json().optional().describe('What it is where it is left out: a value, or an expression.'),
})
export type WrittenParameter = z.output<typeof WrittenParameter>

/** Something that whoever asks may say, by a name. */
export interface Parameter {
  readonly name: string
  readonly type: string
  readonly label: Text | undefined
  readonly compiled: CompiledType
  readonly isOptional: boolean
  readonly allowed: ReadonlySet<string> | undefined
  /** The one of the domain that `allowed` is of. */
  readonly enumeration: Enumeration | undefined
  /** What it is where it is left out. */
  readonly otherwise: { readonly value: Value } | { readonly expression: Expression } | undefined
}

/** Types whose values nobody hands over. */
const CLOSED: ReadonlySet<string> = new Set(['password', 'token', 'autoincrement'])

/** What parameters are compiled with. */
export interface ParameterPlace {
  readonly types: FieldTypes
  /** Names that mean something else there. */
  readonly taken: ReadonlySet<string>
}

/** Compiles parameters; what is wrong is reported. */
export function compileParameters(
  written: readonly WrittenParameter[],
  site: Site,
  path: Path,
  around: ParameterPlace,
): readonly Parameter[] {
  const known = new Set<string>()
  return written.flatMap((one, at) => {
    const place = [...path, at]
    const { name } = one
    if (around.taken.has(name))
      site.problem([...place, 'name'], `'${name}' has a meaning of its own`, 'Call the parameter otherwise')
    if (known.has(name)) site.problem([...place, 'name'], `there are two parameters called '${name}'`)
    known.add(name)
    return compileParameter(one, site, place, around) ?? []
  })
}

function compileParameter(
  written: WrittenParameter,
  site: Site,
  path: Path,
  { types }: ParameterPlace,
): Parameter | undefined {
  const { name, label, type: typeName = 'string', optional: isOptional = false } = written
  const type = types.find(typeName)
  if (type === undefined || CLOSED.has(type.name) || type.column === 'json') {
    const message =
      type === undefined ? `there is no type '${typeName}'` : `'${typeName}' is no type of parameters`
    site.problem(
      [...path, 'type'],
      message,
      (type === undefined ? didYouMean(typeName, types.names) : undefined) ?? 'Name a scalar type',
    )
    return undefined
  }
  const { model } = site
  const scope = { allowed: undefined, blocks: model.blocks, enums: model.enums }
  const compiled = types.compile(type, { type: typeName }, scope)
  const allowed = enumOf(written, compiled, site, [...path, 'enum'])
  const enumeration = typeof written.enum === 'string' ? model.enums.get(written.enum) : undefined
  const said = { name, label, type: typeName, compiled, isOptional, allowed, enumeration }
  const parameter = { ...said, otherwise: undefined }
  return { ...parameter, otherwise: defaultOf(written, parameter, site, [...path, 'default']) }
}

function enumOf(
  { enum: written }: WrittenParameter,
  compiled: CompiledType,
  site: Site,
  path: Path,
): ReadonlySet<string> | undefined {
  if (written === undefined) return undefined
  if (typeof written !== 'string') return allowedOf(written, compiled, site, (at) => [...path, at])
  const values = site.model.enums.get(written)?.values
  if (values !== undefined) return allowedOf([...values.keys()], compiled, site, () => path)
  site.problem(path, `there is no enumeration '${written}'`, didYouMean(written, site.model.enums.keys()))
  return undefined
}

/** The values of an `enum` in the form in which values are compared; one that is none of the type is reported. */
function allowedOf(
  texts: readonly string[],
  compiled: CompiledType,
  site: Site,
  pathOf: (at: number) => Path,
): ReadonlySet<string> {
  return new Set(
    texts.flatMap((text, at) => {
      const read = compiled.parseText(text)
      const checked = read === undefined ? undefined : compiled.check(read)
      if (checked !== undefined && 'value' in checked) return String(checked.value)
      site.problem(
        pathOf(at),
        `'${text.slice(0, 60)}' is no value of the type '${compiled.type.name}'`,
        'Write values of the type, or another type',
      )
      return []
    }),
  )
}

function defaultOf(
  { default: written }: WrittenParameter,
  parameter: Parameter,
  site: Site,
  path: Path,
): Parameter['otherwise'] {
  if (written === undefined || written === null) return undefined
  const read = readValue(written, parameter)
  if ('value' in read) return read
  if (typeof written !== 'string' || isPlainText(parameter) || parameter.allowed !== undefined) {
    site.problem(path, read.message)
    return undefined
  }
  const expression = site.expression(written, path, { moment: 'read' })
  return expression && { expression }
}

/** Whether any text is a value, or all but one: such a text is never an expression. */
const isPlainText = ({ compiled: { type } }: Parameter): boolean =>
  type.column === 'text' && ['string', 'text', 'markdown', 'slug'].includes(type.name)

/** What is known of the values of parameters, by name. */
export const parameterKinds = (parameters: readonly Parameter[]): ReadonlyMap<string, Known> =>
  new Map(parameters.map(({ name, compiled }) => [name, kindOfColumn(compiled.type.column)]))

/** A value as it is stored, or what is wrong with it. */
export type ReadValue = { readonly value: Value } | { readonly rule: string; readonly message: string }

/** Checks a value of a parameter. */
export function readValue(value: Value, { compiled, allowed }: Parameter): ReadValue {
  const checked = compiled.check(value)
  if (!('value' in checked)) {
    const [fault] = checked.faults
    return { rule: fault?.rule ?? 'type', message: fault ? sentenceOf(fault) : 'is not of the type' }
  }
  if (allowed !== undefined && !allowed.has(String(checked.value)))
    return { rule: 'enum', message: `must be one of ${[...allowed].slice(0, 20).join(', ')}` }
  return { value: checked.value }
}
