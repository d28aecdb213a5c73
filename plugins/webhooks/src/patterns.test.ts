import { expect, it } from 'vitest'
import { matches, PATTERN } from './patterns.ts'

it.each([
  ['svc.shop.order.created', 'svc.shop.order.created', true],
  ['svc.shop.order.created', 'svc.shop.order.updated', false],
  ['svc.shop.*.created', 'svc.shop.order-item.created', true],
  ['svc.shop.*.created', 'svc.web.order.created', false],
  ['svc.shop.*', 'svc.shop.order.created', true],
  ['svc.*.order', 'svc.shop.order.created', false],
  ['*', 'svc.shop.order.created', true],
  ['svc.shop.order.created.*', 'svc.shop.order.created', false],
])('%s names %s: %s', (pattern, event, expected) => {
  expect(matches(pattern, event)).toBe(expected)
})

it.each(['', 'svc..created', 'svc.shop.', '.svc', 'svc.sh*p.created', 'svc created'])(
  '%j is no name of events',
  (text) => expect(PATTERN.test(text)).toBe(false),
)
