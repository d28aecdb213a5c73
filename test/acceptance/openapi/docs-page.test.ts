import { HttpServerCapability } from '@svc/rest/contract'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { ORDERS, SHOP } from '../shop.ts'
import { chromiumPath } from './browser.ts'

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
    origin = server().kernel.get(HttpServerCapability).url()
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    page.setDefaultTimeout(PATIENCE_MS)
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
      expect(await page.locator('#select option').allTextContents()).toEqual(['Whole server', 'shop'])
    },
    PATIENCE_MS,
  )

  it(
    'shows the document of a domain with its resources',
    async () => {
      await page.selectOption('#select', { label: 'shop' })
      await page.locator('#operations-tag-Order').waitFor()
      expect(await page.locator('.opblock-tag').count()).toBe(4)
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

  it('asks nobody but this server, and breaks no rule of its policy', () => {
    const strangers = visited.filter((url) => url.protocol !== 'data:' && url.origin !== origin)
    expect(strangers.map(String)).toEqual([])
    expect(complaints).toEqual([])
  })
})
