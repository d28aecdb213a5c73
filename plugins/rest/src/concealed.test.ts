import { describe, expect, it } from 'vitest'
import { createConcealed } from './concealed.ts'

const { conceal, told } = createConcealed()
conceal(['privacy', 'subject'], ':identifier', ['consent', 'grant'])

describe('a path with a segment that is concealed', () => {
  it.each([
    ['/api/v1/shop/orders/7', '/api/v1/shop/orders/7'],
    ['/api/v1/shop/privacy/log', '/api/v1/shop/privacy/log'],
    ['/shop/privacy/subject', '/shop/privacy/subject'],
    ['/shop/privacy/subject/', '/shop/privacy/subject/'],
    ['/shop/privacy/subject/ann@example.org', '/shop/privacy/subject/:identifier'],
    ['/shop/privacy/subject/consent', '/shop/privacy/subject/:identifier'],
    ['/shop/privacy/subject/a%40b.org/consent/grant', '/shop/privacy/subject/:identifier/consent/grant'],
    [
      '/shop/privacy/subject/+44/20/7946/consent',
      '/shop/privacy/subject/:identifier/:identifier/:identifier/consent',
    ],
    ['/shop//privacy//subject//ann/', '/shop//privacy//subject//:identifier/'],
    ['/shop/Privacy/SUBJECT/ann', '/shop/Privacy/SUBJECT/:identifier'],
    ['/shop/%70rivacy/%73ubject/ann', '/shop/%70rivacy/%73ubject/:identifier'],
    ['/shop/%2570rivacy/subject/ann', '/shop/%2570rivacy/subject/:identifier'],
    ['/shop/privacy/subject/%zz', '/shop/privacy/subject/:identifier'],
    ['/shop/%zz/privacy/subject/ann', '/shop/%zz/privacy/subject/:identifier'],
  ])('%s', (path, shown) => {
    expect(told(path)).toBe(shown)
  })
})
