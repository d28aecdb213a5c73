/** A domain whose events several people may see different parts of. */
export const SHOP = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      object:
        title: { type: string, required: true }
        cost: integer
        pin: password
        ownerId: { type: uuid }
        status: { type: string, enum: [open, done] }
      owner: ownerId
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { finish: { to: done } } }, done: {} }
      relationships:
        tags: { type: belongsToMany, target: Tag }
        lines: { type: hasMany, target: Line, foreignKey: orderId }
      features: { softDelete: false, versioning: true }
      permissions:
        { list: [keeper, owner], get: [keeper, owner], create: [authenticated], update: [authenticated], delete: [authenticated], fields: { cost: { read: [keeper] } } }
    Line:
      object: { text: string, orderId: uuid }
      relationships:
        order: { type: belongsTo, target: Order, foreignKey: orderId, onDelete: cascade }
      permissions: { list: "order.title == 'open to all'", get: [keeper], create: [authenticated], update: [authenticated], delete: [authenticated] }
    Tag:
      object: { name: string }
      permissions: { list: [keeper], get: [keeper], create: [authenticated], update: [authenticated], delete: [authenticated] }
    Note:
      object: { text: string, deletedAt: datetime }
      features: { softDelete: true }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
