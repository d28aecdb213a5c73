import type { Row, Transaction, Value } from '@svc/store/contract'
import type { Acted, ErasedAccount } from '../contract/acted.ts'
import type { Mentioning } from '../contract/mentions.ts'
import type { Model } from '../model/model.ts'
import {
  closedOf,
  keyIn,
  openedOf,
  rowsOf,
  type Search,
  type Searched,
  searchFor,
  searchPlain,
} from './searched.ts'

/** Where a name may stand besides what parts say of themselves. */
interface Naming {
  readonly mentioning: readonly Mentioning[]
  /** The engine's own tables. */
  readonly acted: readonly Acted[]
}

/**
 * Has the name of an account that goes with its person become a pseudonym in all that a domain keeps, inside the transaction of
 * its removal: by one statement for each table that has names in a column, and by the rows that have its id elsewhere.
 */
export async function renameAccount(
  model: Model,
  { mentioning, acted }: Naming,
  account: ErasedAccount,
  transaction: Transaction,
): Promise<void> {
  const all = [...acted, ...model.parts.flatMap(({ part }) => part.acted ?? [])]
  for (const { table, actor, also = [], where, settle } of all) {
    if ('kind' in actor) {
      const columns = [actor, ...also]
      const searched = { table, columns, read: settle ? table.columns : [], ...(where && { where }) }
      // Who did something is never sealed: the store finds it.
      const rows = { search: searchPlain([account.id], searched), searched, ...(settle && { settle }) }
      await renameIn(rows, model, account, transaction)
    } else {
      const its = { op: 'eq', column: actor.id, value: account.id } as const
      await transaction.update({
        table,
        set: { [actor.name.name]: account.pseudonym },
        where: where === undefined ? its : { op: 'and', of: [where, its] },
      })
    }
  }
  for (const searched of mentioning)
    await renameIn(
      { search: searchFor([account.id], searched, model), searched },
      model,
      account,
      transaction,
    )
}

/** The rows of a table that may have the name. */
interface Suspect extends Pick<Acted, 'settle'> {
  readonly search: Search
  readonly searched: Searched
}

async function renameIn(
  { search, searched, settle }: Suspect,
  model: Model,
  account: ErasedAccount,
  transaction: Transaction,
): Promise<void> {
  const { table } = searched
  for await (const batch of rowsOf(searched, search, transaction)) {
    const rows = batch.flatMap((row): readonly Row[] => {
      const set = namesIn(row, searched, model, account)
      return set === undefined ? [] : [{ ...keyIn(row, table), ...set, ...settle?.({ ...row, ...set }) }]
    })
    await transaction.updateRows({ table, rows })
  }
}

/** What the columns of a row hold with the pseudonym; undefined where they do not have the name. */
function namesIn(row: Row, searched: Searched, model: Model, account: ErasedAccount): Row | undefined {
  const set: Record<string, Value> = {}
  for (const column of searched.columns) {
    const kept = row[column.name] ?? null
    const value = openedOf(kept, column, searched, model)
    if (value === undefined || value === null) continue
    const left = renamed(value, account)
    if (left !== value) set[column.name] = closedOf(left, kept, column, searched, model)
  }
  return Object.keys(set).length === 0 ? undefined : set
}

/** What stands beside an account's id, by the name that the id has: what it is called, and what it is reached by. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, 'name' | 'address'>>>> = {
  id: { username: 'name', email: 'address' },
  actorId: { actorName: 'name' },
}

/** The value with the pseudonym in place of the name, and no address: the same object where the account is not named. */
function renamed(value: Value, account: ErasedAccount): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const left = value.map((one: Value) => renamed(one, account))
    return left.every((one, at) => one === value[at]) ? value : left
  }
  const facts = Object.entries(BESIDE)
    .filter(([id]) => (value as Row)[id] === account.id)
    .map(([, beside]) => beside)
  let isSame = true
  const left = Object.entries(value).map(([name, one]): readonly [string, Value] => {
    const fact = facts.find((beside) => Object.hasOwn(beside, name))?.[name]
    const made =
      fact === undefined || typeof one !== 'string'
        ? renamed(one, account)
        : fact === 'name'
          ? account.pseudonym
          : null
    isSame &&= made === one
    return [name, made]
  })
  return isSame ? value : Object.fromEntries(left)
}
