import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedaction, REDACTED } from '@svc/kernel'
import { expect, it, onTestFinished } from 'vitest'
import { createLogger } from './logger.ts'

/** A log file, and what is in it. */
function start(format: 'text' | 'json') {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'svc.log')
  const redaction = createRedaction()
  const file = { path, max_size_mb: 1, max_files: 1 }
  const { log, close } = createLogger({ level: 'info', format, access: false, file }, redaction)
  onTestFinished(close)
  return { log, redaction, read: () => readFileSync(path, 'utf8') }
}

it.each(['json', 'text'] as const)('shows no secret in %s, wherever and however it stands', (format) => {
  const { log, redaction, read } = start(format)
  const secret = 'hunter2 "and\nmore"'
  redaction.add(secret)
  const error = new Error(`401 for ${secret}`, { cause: new Error(JSON.stringify({ secret })) })
  log
    .child({ peer: secret })
    .error({ err: error, url: `https://x/?k=${encodeURIComponent(secret)}`, deep: [{ secret }] }, 'failed')
  log.info({ basic: Buffer.from(`user:${secret}`).toString('base64') }, `event ${secret}`)
  expect(read()).not.toContain('hunter2')
  expect(read()).not.toContain(Buffer.from('hunter2').toString('base64').slice(0, 8))
  expect(read().split(REDACTED).length).toBeGreaterThan(5)
})

it('shows no text under a key that looks like one, in any spelling and at any depth', () => {
  const { log, read } = start('json')
  const names = [
    'password',
    'clientSecret',
    'X-API-Key',
    'access_tokens',
    'Authorization',
    'private_key',
    'Set-Cookie',
    'credentials',
  ]
  for (const name of names)
    log.info({ [name]: 'hunter2', a: [{ b: { [name]: { deep: 'hunter2' } } }] }, 'told')
  log.error({ err: Object.assign(new Error('x'), { token: 'hunter2' }) }, 'failed')
  expect(read()).not.toContain('hunter2')
  expect(read()).toContain('"message":"x"')
})

it('shows everything else as it is', () => {
  const { log, read } = start('json')
  log.info({ tokens: 3, secretary: 'Ada', list: [1, { a: null }], at: new Date(0) }, 'told')
  expect(JSON.parse(read())).toMatchObject({
    tokens: 3,
    secretary: 'Ada',
    list: [1, { a: null }],
    at: '1970-01-01T00:00:00.000Z',
  })
})
