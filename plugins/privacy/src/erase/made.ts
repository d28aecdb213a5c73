import type { Resource } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import type { MadeField } from '../compile/made.ts'
import type { PersonalField } from '../compile/personal.ts'
import type { Privacy } from '../compile/privacy.ts'

/** A record, and the fields that ledgers and answers forget the values of, also where the record has none any more. */
export interface Forgotten {
  readonly resource: Resource
  readonly row: Row
  readonly erased: ReadonlySet<string>
}

/** Everything that is personal in records of a resource, and all that is made of something personal. */
export const everythingOf = (resource: Resource, privacy: Privacy): ReadonlySet<string> =>
  new Set([
    ...privacy.personalOf(resource).map(({ field }) => field.name),
    ...privacy.madeOf(resource).map(({ field }) => field.name),
  ])

/**
 * Answers of each of the records that are erased together what is erased of it: with its fields, computed ones that are made of them, and
 * those that are made of fields erased in others. What a formula has given stands in ledgers as if it had been written.
 */
export function madeFollowing(
  together: readonly Pick<Forgotten, 'resource' | 'erased'>[],
  privacy: Privacy,
): (one: Pick<Forgotten, 'resource' | 'erased'>) => ReadonlySet<string> {
  const gone = new Set<PersonalField>()
  for (const { resource, erased } of together)
    for (const personal of privacy.personalOf(resource))
      if (erased.has(personal.field.name)) gone.add(personal)
  return ({ resource, erased }) => {
    const made = privacy
      .madeOf(resource)
      .filter(({ of }) =>
        of.some(({ personal, isNear }) => (isNear ? erased.has(personal.field.name) : gone.has(personal))),
      )
    return made.length === 0 ? erased : new Set([...erased, ...made.map(({ field }) => field.name)])
  }
}

/**
 * What ledgers say in place of erased values of a record: what it holds by now. What is worked out on every read, or of other records,
 * which may be erased later than this one, is null.
 */
export function leftOf(
  { resource, erased }: Pick<Forgotten, 'resource' | 'erased'>,
  row: Row,
  privacy: Privacy,
): Row {
  const made = new Map(privacy.madeOf(resource).map((one) => [one.field.name, one]))
  const valueOf = (name: string): Value => (isSettled(made.get(name)) ? (row[name] ?? null) : null)
  return Object.fromEntries([...erased].map((name) => [name, valueOf(name)]))
}

const isSettled = (made: MadeField | undefined): boolean =>
  made === undefined || (made.field.column !== undefined && made.of.every(({ isNear }) => isNear))
