import type { Plugin } from '@svc/kernel'

const BOARDS = new URL('../../fixtures/third-party-plugin/boards.js', import.meta.url).href

/** A plugin on the published contract alone: actions, a table, a reader, and a worker that lives with its model. */
export const { plugin: boards }: { readonly plugin: Plugin } = await import(BOARDS)

export interface ShopOptions {
  readonly version?: string
  /** Lines below `domain`. */
  readonly more?: string
  /** Lines below `resources`. */
  readonly resources?: string
}

/** A shop with a board of what costs less than somebody says. */
export const shop = ({ version = '1', more = BOARD, resources = '' }: ShopOptions = {}) => `
domain:
  name: shop
  version: '${version}'
  api: { aliases: [/api/v2/store] }
${more}
  resources:
    Product:
      object: { name: string, price: integer, cost: integer }
      permissions:
        list: ['*']
        get: ['*']
        create: ['*']
        update: ['*']
        fields: { cost: { read: [boss] } }
${resources}
`

export const BOARD = `  boards:
    cheap: { resource: Product, where: price < below, columns: [name, price, cost], news: price < 5 }`
export const NONE = ''
