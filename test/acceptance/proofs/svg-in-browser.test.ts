import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import fc from 'fast-check'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOSTILE } from '../../../plugins/svg/src/hostile.testkit.ts'
import { VECTORS } from '../../../plugins/svg/src/vectors.testkit.ts'
import { chromiumPath } from '../../kit/browser.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

/** How many random documents are shown beside the collected ones. */
const RANDOM = size('SVG_IN_BROWSER', { smoke: 30, whole: 2000 })
const SEED = 7331
const PORTION = 100
const PATIENCE_MS = 600_000
/** Pixels that stand in the picture itself. */
const PIXELS = /^data:image\/(?:png|jpeg|gif|webp);base64,/

const BRANDS = `
domain:
  name: brands
  version: '1'
  resources:
    Brand:
      object: { logo: svg }
      permissions: { create: ['*'] }
`

/** What people and time do to the pictures of a document, in the browser's own words. */
const DISTURB = `
  for (const picture of document.querySelectorAll('svg')) picture.setCurrentTime?.(60)
  const events = ['mouseover', 'mousemove', 'mousedown', 'click', 'focusin', 'focus', 'activate', 'load', 'error']
  for (const element of document.querySelectorAll('svg *, svg'))
    for (const name of events) element.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }))
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
`

/** What a browser did that no picture is to make it do. */
interface Bites {
  readonly requests: readonly string[]
  readonly scripts: readonly string[]
}

// Without a Chromium there is no browser to show pictures in; browser.ts says so on the standard error.
describe.skipIf(chromiumPath === undefined)('pictures in a browser', () => {
  let browser: Browser
  let sink: Server
  let origin: string
  const pages = new Map<string, readonly [type: string, content: string]>()
  const asked: string[] = []

  beforeAll(async () => {
    sink = createServer((request, response) => {
      const found = pages.get(request.url ?? '')
      if (found === undefined) asked.push(request.url ?? '')
      response.writeHead(found ? 200 : 204, { 'content-type': found?.[0] ?? 'text/plain' })
      response.end(found?.[1])
    }).listen(0, '127.0.0.1')
    await once(sink, 'listening')
    origin = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`
    browser = await chromium.launch({
      executablePath: chromiumPath!,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
      ],
    })
  }, PATIENCE_MS)
  afterAll(async () => {
    await browser?.close()
    sink?.close()
  })

  /** Shows pictures as documents of their own and inside of a page, and does to them what people and time do. */
  async function shown(pictures: readonly string[]): Promise<Bites> {
    pages.clear()
    asked.length = 0
    const requests: string[] = []
    const scripts: string[] = []
    for (const [at, picture] of pictures.entries()) pages.set(`/${at}.svg`, ['image/svg+xml', picture])
    const frames = pictures.map((_, at) => `<iframe src="/${at}.svg"></iframe><img src="/${at}.svg">`)
    pages.set('/page', [
      'text/html; charset=utf-8',
      `<!doctype html><body>${pictures.map((one) => `<div>${one}</div>`).join('\n')}${frames.join('\n')}`,
    ])
    pages.set('/favicon.ico', ['image/png', ''])
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.exposeBinding('bitten', (_, what: string) => void scripts.push(what))
      await page.addInitScript(() => {
        const tell = (name: string) => () => void (globalThis as any).bitten(name)
        for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'evil', 'fetch'])
          (globalThis as any)[name] = tell(name)
      })
      page.on('request', (request) => {
        const url = request.url()
        const isOwn = url.startsWith(`${origin}/`) && pages.has(new URL(url).pathname)
        if (!isOwn && !PIXELS.test(url)) requests.push(url)
      })
      page.on('dialog', (dialog) => {
        scripts.push(dialog.message())
        return dialog.dismiss()
      })
      page.on('popup', (popup) => void requests.push(popup.url()))
      await page.goto(`${origin}/page`, { waitUntil: 'load', timeout: 60_000 })
      for (const frame of page.frames())
        await frame
          .evaluate(DISTURB)
          // A frame that went elsewhere is among the requests.
          .catch(() => undefined)
      return { requests: [...requests, ...asked], scripts }
    } finally {
      await context.close()
    }
  }

  it('[C3.3] bite where they are not cleaned: the sink sees it', { timeout: PATIENCE_MS }, async () => {
    const svg = (inner: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inner}</svg>`
    const { requests, scripts } = await shown([
      svg('<script>alert(1)</script>'),
      svg('<image href="/stolen.png"/>'),
      svg('<style>@import "/stolen.css";</style>'),
      svg('<rect onclick="alert(2)" width="9" height="9"/>'),
    ])
    expect(scripts.length).toBeGreaterThan(1)
    expect(requests.join(' ')).toMatch(/stolen\.png.*stolen\.css|stolen\.css.*stolen\.png/)
  })

  for (const store of STORES)
    describe(`as ${store.name} keeps them`, () => {
      const server = useTestKernel({ store, definition: BRANDS })

      /** What the field answers of each text that it takes. */
      async function kept(texts: readonly string[]): Promise<readonly string[]> {
        const taken: string[] = []
        for (const logo of texts) {
          const { status, body } = await server().request('POST', '/api/v1/brands/brands', { body: { logo } })
          expect([201, 422]).toContain(status)
          if (status === 201) taken.push(body.data.logo)
        }
        return taken
      }

      it(
        `[C3.3] ask for nothing and run nothing, collected ones and ${RANDOM} random ones`,
        { timeout: PATIENCE_MS },
        async () => {
          const random = fc.sample(HOSTILE, { numRuns: RANDOM, seed: SEED })
          const pictures = await kept([...VECTORS.map(({ svg }) => svg), ...random])
          expect(pictures.length).toBeGreaterThan(VECTORS.length / 2 + RANDOM / 10)
          for (let at = 0; at < pictures.length; at += PORTION)
            expect(await shown(pictures.slice(at, at + PORTION))).toEqual({ requests: [], scripts: [] })
        },
      )
    })
})
