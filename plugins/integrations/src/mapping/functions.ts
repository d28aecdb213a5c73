import { randomUUID } from 'node:crypto'
import { didYouMean, type Field, type Model, type Resource } from '@svc/domain/contract'
import { defineFunction, type ExpressionFunction, type Fault } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import { findsIn } from './finds.ts'
import { parseDate, readPattern } from './parse-date.ts'

/** A number as JSON writes it (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** What mappings of a model may call besides the functions of the language. */
export const mappingFunctions = (model: Model): ReadonlyMap<string, ExpressionFunction> =>
  new Map([
    ['toUpper', defineFunction({ takes: ['text'], gives: 'text', evaluate: ([text]) => text.toUpperCase() })],
    ['toLower', defineFunction({ takes: ['text'], gives: 'text', evaluate: ([text]) => text.toLowerCase() })],
    [
      'toNumber',
      defineFunction({
        takes: ['scalar'],
        gives: 'number',
        evaluate: ([text]) => (NUMBER.test(text.trim()) ? Number(text) : null),
      }),
    ],
    ['uuid', defineFunction({ takes: [], gives: 'text', evaluate: () => randomUUID() })],
    [
      'parseDate',
      defineFunction({
        takes: ['scalar', 'text', 'text'],
        optional: 2,
        gives: 'datetime',
        inspect: ({ args: [, pattern] }) =>
          pattern?.kind === 'literal' &&
          typeof pattern.value === 'string' &&
          readPattern(pattern.value) === undefined
            ? {
                faults: [
                  fault(
                    pattern.offset,
                    `no date is read by '${pattern.value}'`,
                    'Write it as dd.MM.yyyy HH:mm',
                  ),
                ],
              }
            : {},
        evaluate: ([text, pattern, zone = 'UTC']) => parseDate(text, pattern, zone),
      }),
    ],
    ['findOne', finding(model, (rows) => rows?.[0] ?? null)],
    ['findMany', finding(model, (rows) => [...(rows ?? [])])],
  ])

/** `findOne('Part', 'sku', $payload.sku)`: pairs of field and value that all hold. */
function finding(model: Model, give: (rows: readonly Value[] | undefined) => Value): ExpressionFunction {
  return defineFunction({
    takes: ['any', 'any', 'any'],
    repeats: true,
    gives: 'unknown',
    reads: ['clock'],
    inspect({ args, offset }) {
      const faults: Fault[] = []
      const [named, ...pairs] = args
      const resource = resourceOf(literalOf(named), model)
      if (resource === undefined)
        faults.push(
          fault(
            named?.offset ?? offset,
            'the first argument has to name a resource',
            didYouMean(String(literalOf(named) ?? ''), model.resources.keys()),
          ),
        )
      if (pairs.length % 2 === 1) faults.push(fault(offset, 'fields and values come in pairs', undefined))
      for (const [at, one] of pairs.entries()) {
        if (at % 2 === 1 || resource === undefined) continue
        const name = literalOf(one)
        if (fieldOf(name, resource) === undefined) faults.push(fieldFault(one.offset, name, resource))
      }
      return { faults }
    },
    evaluate([named, ...given], context) {
      const resource = resourceOf(named, model)
      const finds = findsIn(context)
      if (resource === undefined || finds === undefined) return give(undefined)
      const pairs: (readonly [Field, Value])[] = []
      for (let at = 0; at + 1 < given.length; at += 2) {
        const field = fieldOf(given[at], resource)
        if (field === undefined) return give(undefined)
        pairs.push([field, given[at + 1] ?? null])
      }
      return give(finds.ask({ resource, pairs }))
    },
  })
}

const literalOf = (node: { readonly kind: string; readonly value?: unknown } | undefined): unknown =>
  node?.kind === 'literal' ? node.value : undefined

const resourceOf = (name: unknown, model: Model): Resource | undefined =>
  typeof name === 'string' ? model.resources.get(name) : undefined

const fieldOf = (name: unknown, { fields }: Resource): Field | undefined => {
  const field = typeof name === 'string' ? fields.get(name) : undefined
  const { column } = field ?? {}
  return column === undefined || column.kind === 'json' || column.codec !== undefined ? undefined : field
}

/** Why no record is found by what stands for a field. */
function fieldFault(offset: number, name: unknown, { name: of, fields }: Resource): Fault {
  if (typeof name !== 'string')
    return fault(offset, `'${of}' stores no field of a name that is worked out`, undefined)
  return fields.get(name)?.column === undefined
    ? fault(offset, `'${of}' stores no field '${name}'`, didYouMean(name, fields.keys()))
    : fault(offset, `records are not found by '${name}'`, 'name a field that can be compared')
}

const fault = (offset: number, message: string, hint: string | undefined): Fault => ({
  severity: 'error',
  offset,
  message,
  ...(hint !== undefined && { hint }),
})
