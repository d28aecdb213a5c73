import {
  type Answered,
  descriptionOf,
  type Documentation,
  type Model,
  type OperationDescription,
  type Part,
  type WriteRemarks,
} from '@svc/domain/contract'
import type { Logger } from '@svc/kernel'
import { referring } from './input-schema.ts'
import { type ClaimName, createNames } from './names.ts'
import { refer, type Schema } from './parts.ts'
import { shownText } from './text.ts'
import { referencesIn } from './unused.ts'

/** What blocks say of themselves in one document. */
export interface Described {
  /** Their schemas by the names that they have here. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** What a part says of one of its operations or actions; undefined where it says nothing. */
  operation(part: Part, name: string): OperationDescription | undefined
  /** What parts add to operations that write a resource. */
  writes(model: Model, resource: string): readonly WriteRemarks[]
  /** What the key of a domain says of one of its actions. */
  action(domain: string, key: string, name: string): OperationDescription | undefined
}

/** Gathers what the parts of models say. Equal schemas of one name are one; another of that name gets a name of its own. */
export function describeParts(models: readonly Model[], taken: readonly string[], log: Logger): Described {
  const claim = createNames(taken)
  const schemas: Record<string, Schema> = {}
  const claimed = new Map<string, string>()
  const byPart = new Map<Part, Pick<Documentation, 'operations' | 'writes'>>()
  const placed = models.flatMap((model) => model.parts.map((one) => ({ one, model })))
  for (const { one, model } of placed) {
    const said = descriptionOf(one, (text) => shownText(text, model), model.localizer.locale(), log)?.openapi
    if (said === undefined) continue
    const { renamed, own } = namedApart(said, claimed, claim)
    for (const [name, schema] of own) schemas[name] = referring(schema, renamed)
    byPart.set(one.part, {
      operations: operationsOf(said, renamed),
      ...(said.writes && { writes: said.writes }),
    })
  }
  const operation = (part: Part, name: string) => byPart.get(part)?.operations?.[name]
  return {
    schemas,
    operation,
    writes: (model, resource) =>
      model.parts.flatMap(({ part }) => byPart.get(part)?.writes?.[resource] ?? []),
    action(domain, key, name) {
      const model = models.find((one) => one.name === domain)
      const placed = model?.parts.find((one) => one.resource === undefined && one.key === key)
      return placed && operation(placed.part, name)
    },
  }
}

interface Named {
  /** New names by the references to the old ones. */
  readonly renamed: ReadonlyMap<string, string>
  /** The schemas that nobody has said before, by their new names. */
  readonly own: readonly (readonly [string, Schema])[]
}

/** Names the schemas of a part; `claimed` has the names of those that were said before, by their whole text. */
function namedApart({ schemas = {} }: Documentation, claimed: Map<string, string>, claim: ClaimName): Named {
  const renamed = new Map<string, string>()
  const own: (readonly [string, Schema])[] = []
  for (const [name, schema] of Object.entries(schemas)) {
    const text = wholeText(name, schemas)
    const known = claimed.get(text)
    const given = known ?? claim(name)
    claimed.set(text, given)
    if (given !== name) renamed.set(refer('schemas', name).$ref, given)
    if (known === undefined) own.push([given, schema])
  }
  return { renamed, own }
}

/** A schema with all of the same part that it leads to: where these are equal, the name means the same. */
function wholeText(name: string, schemas: Readonly<Record<string, Schema>>): string {
  const found = new Set([name])
  for (const one of found)
    for (const reference of referencesIn(schemas[one])) {
      const other = reference.slice(refer('schemas', '').$ref.length)
      if (Object.hasOwn(schemas, other)) found.add(other)
    }
  return JSON.stringify([...found].map((one) => [one, schemas[one]]))
}

function operationsOf(
  { operations = {} }: Documentation,
  renamed: ReadonlyMap<string, string>,
): Readonly<Record<string, OperationDescription>> {
  if (renamed.size === 0) return operations
  return Object.fromEntries(Object.entries(operations).map(([name, one]) => [name, renamedIn(one, renamed)]))
}

function renamedIn(
  operation: OperationDescription,
  renamed: ReadonlyMap<string, string>,
): OperationDescription {
  const { answers, body, query } = operation
  const of = (schema: Schema) => referring(schema, renamed)
  return {
    ...operation,
    ...(query && {
      query: Object.fromEntries(Object.entries(query).map(([name, schema]) => [name, of(schema)])),
    }),
    ...(body && { body: { ...body, schema: of(body.schema) } }),
    ...(answers && { answers: renamedAnswer(answers, of) }),
  }
}

function renamedAnswer(answers: Answered, of: (schema: Schema) => Schema): Answered {
  if ('data' in answers) return { ...answers, data: of(answers.data) }
  return 'items' in answers ? { ...answers, items: of(answers.items) } : answers
}
