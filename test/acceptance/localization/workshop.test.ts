import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const EXAMPLE = fileURLToPath(new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url))

for (const store of STORES) {
  describe(`the languages of the workshop on ${store.name}`, () => {
    const server = useTestKernel({ store, config: { domain: { domain_file: EXAMPLE } } })

    it('L4 its locale files are taken without a warning', () => {
      const told = server().log.filter(({ level }) => level === 'warn' || level === 'error')
      expect(told.filter((one) => JSON.stringify(one).includes('localization'))).toEqual([])
    })

    it('L10 German is whole, and Welsh about half', async () => {
      const { request, admin } = server()
      const { body } = await request('GET', '/api/v1/workshop/localization/coverage', { token: admin })
      expect(body.data.locales).toMatchObject({
        en: { percentage: 100 },
        de: { percentage: 100, missing: 0 },
      })
      expect(body.data.locales.cy.percentage).toBeGreaterThan(35)
      expect(body.data.locales.cy.percentage).toBeLessThan(65)
    })

    it('L5 its reports and dashboards in German', async () => {
      const { request, admin } = server()
      const asked = async (path: string) => {
        const headers = { 'accept-language': 'de' }
        return (await request('GET', `/api/v1/workshop/${path}`, { token: admin, headers })).body.data
      }
      const { label, header, sections } = await asked('reports/month?since=2026-11-01')
      expect([label, header]).toEqual(['Der Monat', 'Seit 01.11.2026'])
      expect(sections[0].title).toBe('Reparaturen')
      expect(sections[0].metrics[4].label).toBe('Kunden')
      const { widgets } = await asked('dashboards/shopFloor')
      expect(widgets.urgent.label).toBe('Dringend')
    })

    it('L8 its schema in German', async () => {
      const { body } = await server().request('GET', '/api/v1/domains/workshop/schema', {
        headers: { 'accept-language': 'de' },
      })
      expect(body.data.enums.BikeKind.values.cargo.label).toBe('Lastenrad')
      expect(body.data.localization).toMatchObject({ locale: 'de', dateFormat: 'dd.MM.yyyy' })
    })
  })
}
