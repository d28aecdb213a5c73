import type { Lines } from '../waits/wait.ts'
import { LINE } from '../tables/lines.ts'
import { findResting } from './resting.ts'
import type { Setting } from './setting.ts'
import { wake } from './waking.ts'

/** The lines of a domain, for whoever finds out that a rest is over. */
export const linesOf = (setting: Setting): Lines => ({
  resting: (transaction, line, turn) => findResting(setting, transaction, line, turn),
  async wake(transaction, line, turn, ending) {
    const [row] = await transaction.select({
      table: setting.tables.lines,
      columns: [LINE.instance],
      where: { op: 'eq', column: LINE.id, value: line },
      order: [],
    })
    if (row === undefined) return false
    return wake(setting, transaction, { instance: String(row['instance']), line, turn }, ending)
  },
  awaited: (transaction) => setting.texts.awaited(transaction),
  hearing: (transaction) => setting.texts.hearing(transaction),
})
