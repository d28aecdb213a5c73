import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { club, clubOf } from './club.ts'

for (const store of STORES) {
  describe(`what ledgers tell of somebody on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: club() })
    let keeper: TestAccount
    let ann: TestAccount
    const { send, about, ask, member, shown } = clubOf(server, () => keeper)

    beforeAll(async () => {
      keeper = await server().account('keeper', ['keeper'])
      ann = await server().account('ann')
      const values = { name: 'Ann', email: 'ann@example.org', agent: 'agent@example.org', remark: 'note one' }
      const id = await member(values)
      await send('PATCH', `members/${id}`, { remark: 'note two', name: 'Anne', agent: 'second@example.org' })
    })

    it('P2: the person sees there too what it may read, and personal values, alone', async () => {
      const { status, body } = await send('GET', about('ann@example.org'), undefined, ann.token)
      expect(status).toBe(200)
      const { audit, versions, history } = body.data
      expect(JSON.stringify(body)).not.toMatch(/note one|note two|agent@|second@/)
      expect([audit.length, versions.length, history.length]).toEqual([2, 1, 2])
      expect(audit[1].changes).toMatchObject({
        name: { from: 'Ann', to: 'Anne' },
        agent: { from: '***', to: '***' },
      })
      expect(versions[0].data).toMatchObject({ name: 'Ann', agent: '***' })
      expect(history.map(({ label }: { label: string }) => label).toSorted()).toEqual(['', 'Moved'])
    })

    it('P6: whoever answers for data sees all of it there but secrets, and what identifies others masked', async () => {
      const { body } = await send('GET', about('ann@example.org'))
      const told = JSON.stringify(body)
      expect(told).toMatch(/note one/)
      expect(told).toMatch(/to \*\*\*/)
      expect(told).not.toMatch(/agent@|second@|"pin"/)
    })

    it('P4, P14: what a record holds that is somebody else by now is not told of who it was, and stays', async () => {
      const id = await member({ name: 'Gus', email: 'gus@example.org' })
      await send('PATCH', `members/${id}`, { email: 'hal@example.org', name: 'Hal Canary' })
      await send('PATCH', `members/${id}`, { name: 'Hal Canary the second' })
      const found = await send('GET', about('gus@example.org'))
      expect([found.status, found.body.error_code]).toEqual([404, 'NOT_FOUND'])
      expect((await ask('gus@example.org', '/erase', {})).status).toBe(200)
      expect((await shown(id)).name).toBe('Hal Canary the second')
      const { body } = await send('GET', `members/${id}/versions`)
      expect(JSON.stringify(body)).toContain('Hal Canary')
    })
  })
}
