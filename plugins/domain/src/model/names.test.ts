import { describe, expect, it } from 'vitest'
import {
  actionPrefix,
  boundedName,
  junctionName,
  kebabCase,
  plural,
  pluralSegment,
  snakeCase,
  tableName,
} from './names.ts'

describe('kebabCase', () => {
  it.each([
    ['Post', 'post'],
    ['OrderItem', 'order-item'],
    ['orderItem', 'order-item'],
    ['order_item', 'order-item'],
    ['Order_Item', 'order-item'],
    ['HTTPServer', 'http-server'],
    ['ParseHTTPRequest', 'parse-http-request'],
    ['APIKey', 'api-key'],
    ['UserID', 'user-id'],
    ['OAuth2Token', 'o-auth2-token'],
    ['Address2', 'address2'],
    ['Item2Go', 'item2-go'],
    ['Foo_', 'foo'],
    ['A__B', 'a-b'],
  ])('writes %s as %s', (name, expected) => expect(kebabCase(name)).toBe(expected))
})

describe('pluralSegment', () => {
  it.each([
    ['Post', 'posts'],
    ['OrderItem', 'order-items'],
    ['Category', 'categories'],
    ['Person', 'people'],
    ['SalesPerson', 'sales-people'],
    ['Child', 'children'],
    ['Analysis', 'analyses'],
    ['Basis', 'bases'],
    ['Crisis', 'crises'],
    ['Axis', 'axes'],
    ['Iris', 'ires'],
    ['Metropolis', 'metropoles'],
    ['Chassis', 'chassis'],
    ['Virus', 'viruses'],
    ['Medium', 'media'],
    ['Lens', 'lenses'],
    ['Status', 'statuses'],
    ['Address', 'addresses'],
    ['Bus', 'buses'],
    ['Canvas', 'canvases'],
    ['Schema', 'schemas'],
    ['Quiz', 'quizzes'],
    ['Leaf', 'leaves'],
    ['Day', 'days'],
    ['Box', 'boxes'],
    ['Hero', 'heroes'],
    ['Photo', 'photos'],
    ['Index', 'indices'],
    ['News', 'news'],
    ['Equipment', 'equipment'],
    ['Series', 'series'],
    ['Species', 'species'],
    ['Metadata', 'metadata'],
    ['Data', 'data'],
    ['Feedback', 'feedback'],
    ['People', 'people'],
    ['Orders', 'orders'],
    ['Settings', 'settings'],
    ['Purchases', 'purchases'],
    ['Analyses', 'analyses'],
    ['APIKey', 'api-keys'],
    ['Api', 'apis'],
    ['Apis', 'apis'],
    ['Taxi', 'taxis'],
  ])('writes %s as %s', (name, expected) => expect(pluralSegment(name)).toBe(expected))
})

describe('plural', () => {
  it.each([
    ['OrderItem', 'OrderItems'],
    ['order_item', 'order_items'],
    ['Person', 'People'],
    ['SalesPerson', 'SalesPeople'],
    ['API', 'APIs'],
    ['Analysis', 'Analyses'],
    ['Foo_', 'Foos'],
  ])('writes %s as %s, in its own spelling', (name, expected) => expect(plural(name)).toBe(expected))
})

describe('names in the store', () => {
  it('joins domain and resource in snake case', () => {
    expect(snakeCase('HTTPServer')).toBe('http_server')
    expect(tableName('shop', 'OrderItem')).toBe('shop_order_item')
    expect(tableName('my-shop', 'Post')).toBe('my_shop_post')
    expect(junctionName('blog', 'PostTag')).toBe('blog_post_tag')
  })

  it('joins a table, columns and the kind of a constraint', () => {
    expect(boundedName(['shop_order', 'status', 'createdAt', 'idx'])).toBe(
      'shop_order__status__createdAt__idx',
    )
  })

  it('keeps names within 63 bytes, tells cut ones apart by a hash, and makes the same one every time', () => {
    const [one, other] = [`${'Very'.repeat(15)}One`, `${'Very'.repeat(15)}Two`]
    expect(tableName('shop', one)).toMatch(/^shop_very_very[a-z_]*_[0-9a-f]{8}$/)
    expect(tableName('shop', one).length).toBeLessThanOrEqual(63)
    expect(tableName('shop', one)).toBe(tableName('shop', one))
    expect(tableName('shop', one)).not.toBe(tableName('shop', other))
    const columns = ['shop_order', 'a'.repeat(63), 'b'.repeat(63), 'idx']
    expect(boundedName(columns)).toMatch(/^shop_order__a+_[0-9a-f]{8}$/)
    expect(boundedName(columns)).toHaveLength(63)
  })

  it('never gives two constraints one name', () => {
    const names = [
      boundedName(['shop_order', 'item_id', 'idx']),
      boundedName(['shop_order_item', 'id', 'idx']),
      boundedName(['shop_order', 'item', 'id', 'idx']),
      boundedName(['shop_order', 'item__id', 'idx']),
      boundedName(['shop_order', 'item_', '_id', 'idx']),
      boundedName(['shop_order', 'item__', 'id', 'idx']),
    ]
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('actionPrefix', () => {
  it('names the domain and the resource in kebab case', () => {
    expect(actionPrefix('shop', 'OrderItem')).toBe('svc.shop.order-item.')
  })
})
