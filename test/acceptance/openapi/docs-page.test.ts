import { readFileSync } from 'node:fs'
import { HttpServerCapability } from '@svc/rest/contract'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { ORDERS, SHOP } from '../shop.ts'
import { chromiumPath } from '../../kit/browser.ts'

const WORKSHOP = readFileSync(
  new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url),
  'utf8',
)
const PATIENCE_MS = 120_000

// Documents come from the model and the actions alone, so one store is enough.
const [store] = STORES

// Without a Chromium there is no browser to show the page in; browser.ts says so on the standard error.
describe.skipIf(chromiumPath === undefined)('the documentation page in a browser', () => {
  const server = useTestKernel({ store: store!, definition: SHOP })
  const visited: URL[] = []
  const complaints: string[] = []
  let origin: string
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    await server().submit(WORKSHOP)
    origin = server().kernel.get(HttpServerCapability).url()
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('request', (request) => visited.push(new URL(request.url())))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${origin}/api/v1/docs`)
  }, PATIENCE_MS)
  afterAll(() => browser?.close())

  it(
    'begins with the whole server, and says how to sign in',
    async () => {
      await page.locator('#operations-tag-auth').waitFor()
      expect(await page.locator('.info').textContent()).toContain('Signing in')
      const choices = await page.locator('#select option').allTextContents()
      expect(choices).toEqual(['Whole server', 'shop', 'workshop'])
    },
    PATIENCE_MS,
  )

  it(
    'shows the document of a domain alone, under an address of its own',
    async () => {
      await page.selectOption('#select', { label: 'shop' })
      await page.locator('#operations-tag-Order').waitFor()
      expect(page.url()).toBe(`${origin}/api/v1/docs?domain=shop`)
      const tags = await page
        .locator('.opblock-tag')
        .evaluateAll((all) => all.map(({ dataset }) => dataset['tag']))
      expect(tags).toEqual(['auth', 'auth.sessions', 'Customer', 'Order', 'Secret', 'Memo', 'shop.media'])
    },
    PATIENCE_MS,
  )

  it(
    'takes a token, and sends a request with it',
    async () => {
      await page.locator('button.authorize').first().click()
      await page.locator('.auth-container input').fill(server().admin)
      await page.locator('.auth-btn-wrapper button.authorize').click()
      await page.locator('.btn-done').click()

      await page.locator('#operations-tag-Order').click()
      const list = page.locator('.opblock', { has: page.locator('text="List Orders"') })
      await list.locator('.opblock-summary').click()
      await list.locator('button.execute').click()
      const answer = list.locator('.live-responses-table .response')
      await answer.first().waitFor()
      expect(await answer.first().textContent()).toContain('200')
      expect(await list.locator('.live-responses-table').textContent()).toContain('"totalCount": 0')
      expect(visited.map(({ pathname }) => pathname)).toContain(ORDERS)
    },
    PATIENCE_MS,
  )

  it(
    'shows one filter for each field, and none of their operators',
    async () => {
      const names = page.locator('tr[data-param-name^="filter["]')
      expect(await names.count()).toBeGreaterThan(5)
      expect(await page.locator('tr[data-param-name*="]["]').count()).toBe(0)
    },
    PATIENCE_MS,
  )

  it(
    'keeps the token over a reload and in other documents, and for this tab alone',
    async () => {
      const isSignedIn = async (tab: Page) => {
        await tab.locator('.opblock-tag').first().waitFor()
        return (await tab.locator('button.authorize.locked').count()) > 0
      }
      await page.reload()
      expect(await isSignedIn(page)).toBe(true)
      await page.goto(`${origin}/api/v1/docs?domain=workshop`)
      expect(await isSignedIn(page)).toBe(true)
      expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}')
      const other = await page.context().newPage()
      await other.goto(`${origin}/api/v1/docs?domain=shop`)
      expect(await isSignedIn(other)).toBe(false)
      await other.close()
      await page.goto(`${origin}/api/v1/docs?domain=shop`)
      await page.locator('button.authorize').first().click()
      await page.locator('.auth-btn-wrapper button:text("Logout")').click()
      await page.reload()
      expect(await isSignedIn(page)).toBe(false)
    },
    PATIENCE_MS,
  )

  it(
    'offers a body that passes as it is',
    async () => {
      await page.locator('button.authorize').first().click()
      await page.locator('.auth-container input').fill(server().admin)
      await page.locator('.auth-btn-wrapper button.authorize').click()
      await page.locator('.btn-done').click()
      await page.locator('#operations-tag-Customer').click()
      const create = page.locator('.opblock', { has: page.locator('text="Create one Customer"') })
      await create.locator('.opblock-summary').click()
      await create.locator('button.execute').click()
      const answer = create.locator('.live-responses-table .response')
      await answer.first().waitFor()
      expect(await answer.first().textContent()).toContain('201')
    },
    PATIENCE_MS,
  )

  it(
    'opens a large domain in little more time than a small one: nothing that is not shown is worked out',
    async () => {
      const opened = async (domain: string) => {
        const tab = await page.context().newPage()
        await tab.goto(`${origin}/api/v1/docs?domain=${domain}`)
        await tab.locator('.opblock-tag').first().waitFor()
        const took = await tab.evaluate(() => performance.now())
        await tab.close()
        return took
      }
      await opened('workshop')
      const small = [await opened('shop'), await opened('shop')]
      const large = [await opened('workshop'), await opened('workshop')]
      expect(Math.min(...large)).toBeLessThan(3 * Math.min(...small))
    },
    PATIENCE_MS,
  )

  it('asks nobody but this server, and breaks no rule of its policy', () => {
    const strangers = visited.filter((url) => url.protocol !== 'data:' && url.origin !== origin)
    expect(strangers.map(String)).toEqual([])
    expect(complaints).toEqual([])
  })
})
