import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from '../shop.ts'

const CHECK = fileURLToPath(new URL('../../fixtures/typed-client/check.js', import.meta.url))

// Documents come from the model and the actions alone, so one store is enough.
const [store] = STORES
const server = useTestKernel({ store: store!, definition: SHOP })

it('a client in TypeScript is typed by the document, and kept from mistakes', async () => {
  const { body } = await server().request('GET', '/api/v1/domains/shop/openapi.json')
  const { stdout, stderr, status } = spawnSync(process.execPath, [CHECK], { input: JSON.stringify(body) })
  expect({ found: stdout.toString(), failed: stderr.toString(), status }).toEqual({
    found: '',
    failed: '',
    status: 0,
  })
}, 120_000)
