import { AccountsCapability } from '@svc/auth/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import type { TestAccount } from '../../kit/test-kernel.ts'
import { useLab } from './kit.ts'
import { SAMPLES } from './lab.ts'
import { USERS } from './scripts.ts'

for (const store of STORES) {
  describe(`scripts that act as a user on ${store.name}`, () => {
    const lab = useLab(store, { 'users.js': USERS })
    let helper: TestAccount
    beforeAll(async () => {
      helper = await lab().account('helper')
      await lab().account('keeper', ['keeper'])
    })

    /** What became of an update, a delete, an administrator's action, one for everybody signed in, and a bad input. */
    const tried = async (as: string) => {
      const path = await lab().sample('of others')
      const id = path.split('/').at(-1)
      const { body } = await lab().request('POST', `${SAMPLES}/probe`, {
        token: lab().admin,
        body: { as, id },
      })
      const record = await lab().request('GET', path, { token: lab().admin })
      return { results: body.data as readonly string[], record: record.body.data }
    }
    const admin = (what: string) =>
      lab().request('POST', `/api/v1/admin/users/helper/${what}`, { token: lab().admin })

    it('have the rights of that user and no others', async () => {
      const { results, record } = await tried('helper')
      expect(results).toEqual(['done', 'FORBIDDEN', 'FORBIDDEN', 'done', 'VALIDATION_ERROR'])
      expect(record).toMatchObject({ note: 'by helper', grade: 0, updatedById: helper.id })
    })

    it('may do what the roles of the user allow', async () => {
      expect((await tried('keeper')).results).toEqual([
        'done',
        'done',
        'FORBIDDEN',
        'done',
        'VALIDATION_ERROR',
      ])
    })

    it('may do nothing where there is no such user', async () => {
      expect((await tried('nobody')).results).toEqual(Array(5).fill('USER_REFUSED'))
    })

    it('follow a change of roles, a suspension and a removal at once', async () => {
      await lab().kernel.get(AccountsCapability).grantRoles(helper.id, ['keeper'])
      expect((await tried('helper')).results[1]).toBe('done')
      expect((await admin('suspend')).status).toBe(200)
      expect((await tried('helper')).results).toEqual(Array(5).fill('USER_REFUSED'))
      expect((await admin('unsuspend')).status).toBe(200)
      expect((await tried('helper')).results[0]).toBe('done')
      const removed = await lab().request('DELETE', '/api/v1/auth/account', { token: helper.token })
      expect(removed.status).toBe(204)
      expect((await tried('helper')).results).toEqual(Array(5).fill('USER_REFUSED'))
    })
  })
}
