import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { standardSignature } from './contract.ts'

it('signs as the example of Standard Webhooks does', () => {
  const headers = standardSignature({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: 1_614_265_330_000,
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('takes a secret without a prefix as it stands, and whole seconds', () => {
  const headers = standardSignature({
    id: 'a',
    at: 1_999,
    body: new TextEncoder().encode('é'),
    secret: 'plain',
  })
  const expected = createHmac('sha256', 'plain').update('a.1.é').digest('base64')
  expect(headers).toMatchObject({ 'webhook-timestamp': '1', 'webhook-signature': `v1,${expected}` })
})

it('does not sign without a secret', () => {
  expect(Object.keys(standardSignature({ id: 'a', at: 0, body: '' }))).toEqual([
    'webhook-id',
    'webhook-timestamp',
  ])
})
