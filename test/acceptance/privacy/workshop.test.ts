import { fileURLToPath } from 'node:url'
import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { newKey } from './clinic.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const EXAMPLE = fileURLToPath(new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url))
const API = '/api/v1/workshop'
process.env['SVC_DOMAIN_WORKSHOP_KEYS'] ??= newKey('one')

for (const store of STORES) {
  describe(`personal data of the workshop on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: { domain: { domain_file: EXAMPLE }, jobs: { enabled: false } },
    })

    it('P22, P24: the workshop writes to those alone who have consented, and sweeps what is over', async () => {
      const { token } = await server().account('keeper', ['dataProtection', 'manager', 'admin'])
      const send = (method: string, path: string, body?: unknown) =>
        server().request(method, `${API}/${path}`, { token, ...(body !== undefined && { body }) })
      for (const name of ['ann', 'bob'])
        expect((await send('POST', 'customers', { name, email: `${name}@example.org` })).status).toBe(201)
      const granted = await send('POST', 'privacy/subject/ann%40example.org/consent/grant', {
        purpose: 'newsletter',
      })
      expect(granted.status).toBe(201)
      expect((await send('POST', 'schedules/seasonalLetter/run', {})).status).toBe(202)
      for (let turn = 0; turn < 3; turn += 1) await server().kernel.callAs(SYSTEM)('jobs.tick', {})
      const { body } = await send('GET', 'schedules/firings?schedule=seasonalLetter')
      expect(body.data.items).toHaveLength(1)
      const swept = await send('POST', 'privacy/retention', { dryRun: true })
      expect(swept.body.data.items.map(({ category }: { category: string }) => category)).toContain(
        'security',
      )
      const told = server().log.filter(({ level }) => level === 'warn' || level === 'error')
      expect(told.filter((one) => JSON.stringify(one).includes('privacy'))).toEqual([])
    })
  })
}
