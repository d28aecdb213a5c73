import type { Route } from '@svc/kernel'
import { expect, it } from 'vitest'
import { nearby } from './nearby.ts'

const ROUTES: readonly Route[] = [
  'GET /api/v1/shop/orders',
  'POST /api/v1/shop/orders',
  'GET /api/v1/shop/orders/:id',
  'PATCH /api/v1/shop/orders/:id',
  'GET /api/v1/shop/orders/:id/lines',
  'POST /api/v1/shop/media/upload',
  'GET /api/v1/health',
]

it.each([
  ['/api/v1/shop/order', 'did you mean /api/v1/shop/orders?'],
  ['/api/v1/shp/orders', 'did you mean /api/v1/shop/orders?'],
  ['/api/v1/shop/orders/7/line', 'did you mean /api/v1/shop/orders/7/lines?'],
  ['/api/v1/shop/orders/', 'did you mean /api/v1/shop/orders?'],
  ['/shop/orders', 'did you mean /api/v1/shop/orders?'],
  ['/health', 'did you mean /api/v1/health?'],
  // By another method.
  ['/api/v1/shop/orders/7', 'it takes GET, PATCH'],
  ['/api/v1/shop/orders', 'it takes GET, POST'],
  ['/api/v1/shop/media', 'below it there are POST /api/v1/shop/media/upload'],
  [
    '/api/v1',
    'below it there are GET /api/v1/shop/orders, POST /api/v1/shop/orders, GET /api/v1/shop/orders/:id, ' +
      'PATCH /api/v1/shop/orders/:id, GET /api/v1/shop/orders/:id/lines, 2 more',
  ],
  ['/wp-login.php', undefined],
  ['', undefined],
])('%s: %s', (path, told) => {
  expect(nearby(path, ROUTES)).toBe(told)
})

it('compares no path that is longer than any route', () => {
  expect(nearby(`/api/v1/shop/orders/${'a'.repeat(10_000)}`, ROUTES)).toBeUndefined()
})
