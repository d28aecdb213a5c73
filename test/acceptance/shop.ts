/** A small definition that most tests of records work with. */
export const SHOP = `
domain:
  name: shop
  version: '1.0.0'
  enums:
    OrderStatus: { values: [open, paid, shipped] }
  resources:
    Customer:
      object:
        name: { type: string, required: true, minLength: 2, maxLength: 60 }
        email: { type: email, required: true, unique: true }
        vip: { type: boolean, default: false }
      permissions:
        { list: ['*'], get: ['*'], create: [authenticated], update: [authenticated], delete: [authenticated] }
    Order:
      object:
        number: { type: integer, required: true, unique: true, min: 1 }
        status: { type: string, enum: OrderStatus, default: open }
        total: { type: decimal, min: 0 }
        note: text
        code: { type: string, immutable: true, pattern: '^[A-Z]{2}[0-9]+$' }
        placedAt: datetime
        margin: decimal
        approval: { type: string, required: true, default: none }
        createdAt: { type: datetime, autoNow: create }
        updatedAt: { type: datetime, autoNow: update }
      relationships:
        customer: { type: belongsTo, target: Customer, onDelete: restrict }
      indexes:
        - fields: [customerId]
        - fields: [status, createdAt]
      permissions:
        list: [authenticated]
        get: [authenticated]
        create: [authenticated]
        update: [authenticated]
        delete: [manager]
        fields:
          margin: { read: [manager], write: [manager] }
          approval: { write: [manager] }
    Secret:
      object:
        text: { type: string, required: true }
      permissions: { list: [], get: [], create: [], update: [], delete: [] }
    Memo:
      object:
        text: { type: string, required: true }
`

/** Where the resources of the shop stand. */
export const ORDERS = '/api/v1/shop/orders'
export const CUSTOMERS = '/api/v1/shop/customers'
export const SECRETS = '/api/v1/shop/secrets'
export const MEMOS = '/api/v1/shop/memos'
