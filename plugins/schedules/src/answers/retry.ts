import { entryOf, ledgerReader, onceOf } from '@svc/automation/contract'
import { domainAction, type Writes } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { rowWith, type Setting } from '../setting.ts'
import { firingLedger, FiringAnswer, presentFiring } from '../firing/answer.ts'

/** The action that sets a failed firing going again. */
export const retryAction = (setting: () => Promise<Setting>) =>
  domainAction({
    name: 'retry',
    summary: 'Set a failed firing going again',
    access: ['admin'],
    routes: ['POST /schedules/firings/:id/retry'],
    input: z.strictObject({ id: z.string().describe('The id of the firing.') }),
    output: FiringAnswer,
    async handle({ id }, call) {
      const { data, tables, works, model } = await setting()
      const { firings: table } = tables
      const ledger = firingLedger(table)
      const found = await entryOf(id, ledger, data.reader, 'a firing')
      const known = String(found['id'])
      // What the write leaves: by the time of the answer it may have gone well already.
      let left: Row | undefined
      const again = async (writes: Writes) => {
        const { count } = await writes.update({
          table,
          set: { status: 'running', firedAt: null },
          where: rowWith(table, { id: known, status: 'failed' }),
        })
        if (count === 0)
          throw errors.CONFLICT({ message: `The firing has not failed: it is ${String(found['status'])}` })
        await works.again.put(writes, { domain: model.name, firing: known, tries: 0 }, { key: known })
        left = await entryOf(known, ledger, writes, 'a firing')
      }
      await data.write(call, again, onceOf(call, `schedules retry ${known}`, {}))
      return presentFiring(left ?? found, ledgerReader(data, call))
    },
  })
