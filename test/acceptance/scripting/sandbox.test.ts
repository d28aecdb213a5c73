import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import type { TestAccount } from '../../kit/test-kernel.ts'
import { useLab } from './kit.ts'
import { SAMPLES } from './lab.ts'
import { ATTACKS, STEADY } from './scripts.ts'

const LATE = 'A script took too long and was ended'
const LARGE = 'A script took too much memory and was ended'

for (const store of STORES) {
  describe(`hostile scripts on ${store.name}`, () => {
    const files = { 'attacks.js': ATTACKS, 'steady.js': STEADY }
    const lab = useLab(store, files, { timeout_ms: 300, memory_mb: 8 })
    let user: TestAccount
    let calls = 0
    beforeAll(async () => {
      user = await lab().account('user')
    })

    const post = async (operation: string, body: object = {}) => {
      const answer = await lab().request('POST', `${SAMPLES}/${operation}`, { token: user.token, body })
      return answer.status === 200
        ? answer.body.data
        : [answer.status, answer.body.error_code, answer.body.error_message]
    }
    const attack = (kind: string) => post('attack', { kind })
    /** The other script has gone on, in the sandbox that it had. */
    const isSteady = async () => expect(await post('steady')).toEqual({ count: ++calls })

    it.each(['loop', 'stubborn', 'chain', 'forever', 'join', 'regex', 'busy'])(
      'that take too long (%s) are ended alone',
      async (kind) => {
        await isSteady()
        const began = performance.now()
        const pending = attack(kind)
        await isSteady()
        expect(await pending).toEqual([422, 'HOOK_FAILED', LATE])
        expect(performance.now() - began).toBeLessThan(3000)
        await isSteady()
      },
    )

    it.each(['memory', 'text'])('that take too much memory (%s) are ended alone', async (kind) => {
      // Which limit is met first depends on the machine: memory, time, or the length of one text.
      const [status, code, message] = await attack(kind)
      expect([status, code]).toEqual([422, 'HOOK_FAILED'])
      expect([LARGE, LATE, 'string too long']).toContain(message)
      await isSteady()
    })

    it('that recurse without end fail alone', async () => {
      expect((await attack('recursion')).slice(0, 2)).toEqual([422, 'HOOK_FAILED'])
      expect((await attack('nesting')).slice(0, 2)).toEqual([422, 'HOOK_FAILED'])
      await isSteady()
    })

    it.each(['logs', 'calls', 'heavy'])(
      'that flood what is around them (%s) hold nobody up',
      async (kind) => {
        await isSteady()
        const pending = attack(kind)
        await isSteady()
        const outcome = await pending
        expect(['logged', 'called', LATE]).toContain(typeof outcome === 'string' ? outcome : outcome[2])
        await isSteady()
      },
    )

    it('that leave work behind have it ended with them', async () => {
      expect(await attack('orphan')).toBe('gone')
      await isSteady()
    })

    it('that tamper with what is around them harm nobody else', async () => {
      const outcome = await attack('tamper')
      expect(outcome === 'tampered' || outcome[1] === 'HOOK_FAILED').toBe(true)
      await isSteady()
    })

    it('cannot register handlers later', async () => {
      await attack('loop')
      expect(await attack('late')).toEqual([
        422,
        'HOOK_FAILED',
        expect.stringContaining('while the script loads'),
      ])
    })

    it('do not hold the rest of the server up', async () => {
      const pending = Promise.all(['loop', 'join', 'memory'].map(attack))
      const began = performance.now()
      for (let turn = 0; turn < 20; turn++) {
        const { status } = await lab().request('GET', SAMPLES, { token: user.token })
        expect(status).toBe(200)
      }
      expect(performance.now() - began).toBeLessThan(1500)
      await pending
    })
  })
}
