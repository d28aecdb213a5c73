import { type Caller, errors } from '@svc/kernel'
import { Access } from '../access/access.ts'
import { FIELD_NAME, isForbiddenKey } from '../definition/names.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { Graph } from '../crossing/graph.ts'
import { domainErrors } from '../errors.ts'
import { FieldTypeError, type FieldTypes } from '../fields/index.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { Fault } from '../speech/speech.ts'
import { malformed } from '../write/refuse.ts'
import { formulaFaults } from './formula.ts'
import { takenName } from './settle.ts'

/** Names that mean something wherever a field has them: a column of such a name would decide whose a record is, or when it was written. */
const MEANT: ReadonlySet<string> = new Set(
  ['createdAt', 'updatedAt', 'deletedAt', 'createdById', 'updatedById', 'userId', 'authorId'].map((name) =>
    name.toLowerCase(),
  ),
)

interface Judged {
  readonly name: string
  readonly definition: FieldDefinition
  readonly model: Model
  readonly resource: Resource
  readonly types: FieldTypes
  readonly caller: Caller
  readonly at: string
  readonly acceptLanguage: string | undefined
  readonly graph: Graph | undefined
  /** The name that the column has until now. */
  readonly former?: string
}

/** Throws VALIDATION_ERROR or DUPLICATE where a column would be no field. */
export function assertColumn(judged: Judged): void {
  const { name, resource, acceptLanguage, former } = judged
  const { definition, types, caller, at, graph } = judged
  const access = new Access(resource, caller, () => Date.parse(at))
  const faults = [
    ...(name === former ? [] : nameFaults(name)),
    ...fieldFaults(judged),
    ...(former === undefined ? formulaFaults({ definition, resource, types, access, graph }) : []),
  ]
  if (faults.length > 0) throw malformed({ resource, acceptLanguage }, faults)
  const taken = takenName(name, resource)
  if (taken === undefined || taken.name === former) return
  throw domainErrors.DUPLICATE({ message: `'${resource.name}' has ${taken.what} '${taken.name}' already` })
}

function nameFaults(name: string): readonly Fault[] {
  const message = nameMessage(name)
  return message === undefined ? [] : [{ field: 'name', rule: 'pattern', message }]
}

function nameMessage(name: string): string | undefined {
  if (!FIELD_NAME.test(name) || isForbiddenKey(name) || name.startsWith('_'))
    return 'A name is a letter, then up to 62 letters, digits and underscores'
  if (/(_formula|__geom)$/i.test(name)) return "No column's name ends in '_formula' or '__geom'"
  if (MEANT.has(name.toLowerCase()))
    return 'Fields of this name say whose a record is, or when it was written: choose another one'
  return undefined
}

function fieldFaults({ definition, model, types }: Judged): readonly Fault[] {
  const { type: typeName = '', default: value, enum: allowed } = definition
  const type = types.find(typeName)
  if (type === undefined) throw errors.INTERNAL_ERROR({ message: `no type '${typeName}'` })
  const unused: readonly Fault[] = types.unused(type, definition).map((field) => ({
    field,
    rule: 'unknown',
    message: `'${field}' means nothing for the type '${type.name}'`,
  }))
  try {
    const scope = {
      allowed: Array.isArray(allowed) ? allowed : undefined,
      blocks: model.blocks,
      enums: model.enums,
    }
    const compiled = types.compile(type, definition, scope)
    const checked = value === undefined || value === null ? undefined : compiled.check(value)
    if (checked === undefined || 'value' in checked) return unused
    return [...unused, ...checked.faults.map((fault) => ({ ...fault, field: 'default' }))]
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error
    return [
      ...unused,
      ...error.all.map(({ path, message, hint }) => ({
        field: path.length === 0 ? 'type' : path.join('.'),
        rule: 'format',
        message: hint === undefined ? message : `${message}: ${hint}`,
      })),
    ]
  }
}
