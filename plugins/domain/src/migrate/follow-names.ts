import type { Transaction } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import type { ModelPairing } from './pairs.ts'
import type { FollowName, MigrationStep } from './step.ts'

/** The steps by which what blocks keep about the records of a resource follows its name. */
export function followNameSteps(from: Model, { resources }: ModelPairing): readonly MigrationStep[] {
  const tables = namingTables(from)
  if (tables.length === 0) return []
  return resources.kept
    .filter((pair) => pair.from.name !== pair.to.name)
    .map(({ from: { name: old }, to: { name, table } }) => ({
      kind: 'followName',
      table: table.name,
      message: `what is kept about the records of '${old}' is about those of '${name}'`,
      work: [{ kind: 'followName', from: old, to: name, tables }],
    }))
}

/** Where rows of all resources stand together, and say by its name which of them they are about. */
export const namingTables = ({ parts }: Model): FollowName['tables'] =>
  parts.flatMap(({ part: { mentions = [] } }) =>
    mentions.flatMap(({ table, where, about }) =>
      about && 'kind' in about.resource
        ? { table, column: about.resource, where: where ?? { op: 'always' } }
        : [],
    ),
  )

export async function followName({ from, to, tables }: FollowName, transaction: Transaction): Promise<void> {
  for (const { table, column, where } of tables) {
    const isNamed = { op: 'eq', column, value: from } as const
    await transaction.update({
      table,
      set: { [column.name]: to },
      where: { op: 'and', of: [where, isNamed] },
    })
  }
}
