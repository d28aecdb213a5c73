import type { Known, MadeShape } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Model } from './model.ts'
import { recordShape, resourceOf } from './record-shape.ts'

const Kind = z.enum(['text', 'number', 'boolean', 'date', 'datetime', 'list', 'object', 'null', 'unknown'])

type KeptShape =
  | z.output<typeof Kind>
  | { readonly record: string }
  | { readonly list: KeptShape }
  | { readonly members: Readonly<Record<string, KeptShape>> }
  | { readonly madeOf: readonly KeptOrigin[] }

const KeptOrigin = z.object({ record: z.string(), names: z.array(z.string()), isRelated: z.boolean() })
type KeptOrigin = z.output<typeof KeptOrigin>

const Kept: z.ZodType<KeptShape> = z.union([
  Kind,
  z.object({ madeOf: z.array(KeptOrigin) }),
  z.object({ record: z.string() }),
  z.object({
    get list() {
      return Kept
    },
  }),
  z.object({
    get members() {
      return z.record(z.string(), Kept)
    },
  }),
])

/** What is known of a value, as JSON keeps it beside the value. */
export function keepShape(known: Known): Value {
  if (typeof known === 'string') return known
  if (known.kind === 'list') return { list: keepShape(known.items) }
  if (known.kind === 'unknown') return { madeOf: keptOrigins(known) }
  const resource = resourceOf(known.source)
  if (resource) return { record: resource.name }
  return { members: Object.fromEntries([...known.members].map(([name, one]) => [name, keepShape(one)])) }
}

const keptOrigins = ({ of }: MadeShape): KeptOrigin[] =>
  of.map(({ source, names, isRelated }) => ({
    record: resourceOf(source)?.name ?? '',
    names: [...names],
    isRelated,
  }))

/** The same against a model. Of records whose resource is not there any more nothing is known, and nothing may be taken. */
export function openShape(kept: unknown, model: Model): Known {
  return opened(Kept.parse(kept), model)
}

function opened(kept: KeptShape, model: Model): Known {
  if (typeof kept === 'string') return kept
  if ('list' in kept) return { kind: 'list', items: opened(kept.list, model) }
  if ('members' in kept) {
    const members = Object.entries(kept.members).map(([name, one]) => [name, opened(one, model)] as const)
    return { kind: 'object', members: new Map(members) }
  }
  if ('madeOf' in kept) {
    const of = kept.madeOf.map(({ record, names, isRelated }) => {
      const resource = model.resources.get(record)
      const source = resource ? recordShape(resource).source : undefined
      return { source: source ?? NOBODYS, names: new Set(names), isRelated }
    })
    return { kind: 'unknown', of }
  }
  const resource = model.resources.get(kept.record)
  return resource ? recordShape(resource) : GONE
}

/** Nobody can say who may be shown what such a record holds. */
const NOBODYS = Object.freeze({})
const GONE: Known = { kind: 'object', members: new Map(), source: NOBODYS }
