import type { Change, PrepareStep } from './change.ts'
import { keepImmutable } from './immutable.ts'
import { assertTouchable } from './previous.ts'
import type { CheckReferences } from './references.ts'
import { refuseFaults } from './validate.ts'

/**
 * Judges what a body says, in `steps` that gather its faults. Who may not touch the record hears that in place of
 * them. Whoever may hears all of them at once, those that only stored records show too.
 */
export const judgeBody =
  (steps: readonly PrepareStep[], references: CheckReferences): PrepareStep =>
  async (change) => {
    try {
      for (const step of steps) {
        const pending = step(change)
        if (pending !== undefined) await pending
      }
    } catch (error) {
      await assertTouchable(change)
      throw error
    }
    if (change.faults.length > 0) await refuse(change, references)
  }

async function refuse(change: Change, references: CheckReferences): Promise<void> {
  await assertTouchable(change)
  if (change.previous !== undefined) keepImmutable(change)
  await references(change, change.reader, false)
  refuseFaults(change)
}
