import type { Random } from '../../kit/random.ts'
import type { Memory } from './memory.ts'
import type { FieldShape, ResourceShape } from './shape.ts'
import { TEXTS, valueFor } from './values.ts'

/** What a body is made for. */
export interface BodyPlace {
  readonly resource: ResourceShape
  readonly random: Random
  readonly memory: Memory
  /** How likely a value does not fit its field. */
  readonly wild: number
}

type Body = Readonly<Record<string, unknown>>

/** Fields that the service fills by itself: a client that sends them is worth a try, not the rule. */
const OWN = new Set(['createdAt', 'updatedAt', 'createdById', 'updatedById', 'deletedAt'])
const STRANGER = '0190b3c4-0000-7000-8000-00000000dead'
/** Fields of a resource with many of them that one body holds besides the required ones. */
const MOST_FIELDS = 7

/** A key of some record of `resource`; now and then of none. */
export function keyFor(resource: string, { random, memory, wild }: Omit<BodyPlace, 'resource'>): string {
  const known = random.chance(wild / 4) ? undefined : memory.key(resource, random)
  return known ?? STRANGER
}

function fieldValue(field: FieldShape, place: BodyPlace): unknown {
  const { random, wild } = place
  if (random.chance(wild / 3)) return null
  if (field.ref !== undefined && random.chance(1 - wild)) return keyFor(field.ref, place)
  if (field.values !== undefined && random.chance(1 - wild)) return random.pick(field.values)
  if (field.primaryKey) return newKey(field, place)
  if (field.name === 'priority') return 1 + random.int(random.chance(wild) ? 9 : 5)
  if (/^(title|name)$/.test(field.name) && random.chance(1 - wild))
    return `${random.pick(TEXTS)} no ${random.int(60)}`
  return valueFor(field.type, random, wild)
}

/** Keys that clients choose: few of them, so that some are taken. */
function newKey({ type }: FieldShape, { random }: BodyPlace): unknown {
  if (type === 'integer') return random.int(60) - 10
  if (type === 'string')
    return random.pick(['a', 'B', 'b', 'bulk', 'count', 'é', 'a b', 'x/y', `n${random.int(40)}`])
  return `0190b3c4-0000-7000-8000-0000000000${10 + random.int(80)}`
}

function valuesOf(fields: readonly FieldShape[], place: BodyPlace): Body {
  return Object.fromEntries(fields.map((field) => [field.name, fieldValue(field, place)]))
}

const isNeeded = (field: FieldShape): boolean => field.required && field.default === undefined

/** A whole record, as a create or a PUT takes it. */
export function recordFor(place: BodyPlace): Body {
  const { resource, random, wild } = place
  const chosen = resource.fields.filter((field) => {
    const { name, type, computed, primaryKey } = field
    if (isNeeded(field)) return !random.chance(wild / 4)
    if (primaryKey) return type !== 'uuid' || random.chance(0.1)
    return !(computed || OWN.has(name)) || random.chance(wild / 10)
  })
  const needed = chosen.filter((field) => isNeeded(field) || field.primaryKey)
  const others = random.some(
    chosen.filter((field) => !needed.includes(field)),
    random.int(MOST_FIELDS),
  )
  const unknown = random.chance(wild / 8) ? { nonsense: 1 } : {}
  return { ...valuesOf([...needed, ...others], place), ...unknown }
}

/** A few fields, as a PATCH takes them. */
export function changeFor(place: BodyPlace): Body {
  const { resource, random, wild } = place
  const usual = resource.fields.filter(
    ({ name, computed }) => !computed && !OWN.has(name) && name !== resource.key,
  )
  const from = random.chance(wild / 3) ? resource.fields : usual
  return valuesOf(random.some(from, 1 + random.int(3)), place)
}

const several = <T>({ random }: BodyPlace, make: () => T): readonly T[] =>
  Array.from({ length: 1 + random.int(4) }, make)

/** The body of each operation that takes one of its own; other operations take a few fields. */
export const BODIES: Readonly<Record<string, (place: BodyPlace) => unknown>> = {
  create: recordFor,
  put: recordFor,
  update: changeFor,
  import: (place) => several(place, () => recordFor(place)),
  restore: () => undefined,
  revert: ({ random, wild }) => ({
    version: random.chance(wild) ? valueFor('string', random, 1) : 1 + random.int(4),
  }),
  link: (place) => ({ [otherKey(place)]: keyFor(otherKey(place).slice(0, -2), place) }),
  'bulk-create': (place) => {
    const items = several(place, () => recordFor(place))
    const { random, resource } = place
    if (random.chance(0.3)) return items
    if (random.chance(0.6)) return { items }
    const unique = random.pick([
      [resource.key],
      ['name'],
      ['slug'],
      ['anEmail'],
      ['kind', 'rank'],
      ['nonsense'],
      [],
    ])
    return { items, upsert: true, ...(random.chance(0.6) && { conflict: unique }) }
  },
  'bulk-update': (place) => {
    const id = () => keyFor(place.resource.name, place)
    if (place.random.chance(0.5)) return { ids: several(place, id), data: changeFor(place) }
    return several(place, () => ({ ...changeFor(place), [place.random.chance(0.9) ? 'id' : 'sku']: id() }))
  },
  'bulk-delete': (place) => ({ ids: several(place, () => keyFor(place.resource.name, place)) }),
}

/** The field that names the other side of a link. */
const otherKey = ({ resource }: BodyPlace): string => (resource.name === 'Tag' ? 'taskId' : 'tagId')

export type { Body }
