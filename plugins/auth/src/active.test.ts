import { randomUUID } from 'node:crypto'
import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { startServer } from './auth.testkit.ts'
import { callerOf } from './contract.ts'

for (const store of STORES) {
  describe(`the active accounts on ${store.name}`, () => {
    it('are found by their roles and by their ids, each once and with all that they may do', async () => {
      const server = await startServer(store)
      const { accounts } = server
      for (const name of ['cook', 'guest']) await accounts.createRole({ name, description: name })
      const made = { ada: ['cook', 'guest'], bea: ['cook'], cleo: ['guest'], dan: [] }
      for (const [name, roles] of Object.entries(made)) await server.create(name, roles)
      const ids = Object.fromEntries(
        await Promise.all(
          Object.keys(made).map(async (name) => [name, (await accounts.find(name))!.id] as const),
        ),
      )
      const named = async (of: Parameters<typeof accounts.active>[0], limit = 10) =>
        (await accounts.active(of, limit)).map(({ username }) => username)
      expect(await named({ roles: ['cook', 'nobody'] })).toEqual(['ada', 'bea'])
      expect(await named({ ids: [ids['dan']!, randomUUID(), 'dan'] })).toEqual(['dan'])
      expect(await named({ roles: ['cook'], ids: [ids['ada']!, ids['cleo']!] })).toEqual([
        'ada',
        'bea',
        'cleo',
      ])
      expect(await named({ roles: ['cook', 'guest'] }, 2)).toEqual(['ada', 'bea'])
      expect(await named({})).toEqual([])
      const [ada] = await accounts.active({ ids: [ids['ada']!] }, 1)
      expect(callerOf(ada!)).toMatchObject({ kind: 'user', id: ids['ada'], roles: ['cook', 'guest'] })
    })

    it('are not those that are suspended', async () => {
      const server = await startServer(store)
      await server.accounts.createRole({ name: 'cook', description: 'Cooks' })
      await server.create('ada', ['cook'])
      const { id } = (await server.accounts.find('ada'))!
      await server.kernel.callAs({ ...SYSTEM, roles: ['admin'] })('admin.users.suspend', { user: 'ada' })
      expect(await server.accounts.active({ roles: ['cook'], ids: [id] }, 10)).toEqual([])
    })
  })
}
