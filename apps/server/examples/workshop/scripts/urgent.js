// Everything urgent is nothing urgent: three repairs that are still in the house may be.

const MOST = 3

on('svc.workshop.repair-order.flagUrgent', async ({ id, actor }, { call, log }) => {
  const query = { scope: 'open', 'filter[priority][eq]': 'urgent', fields: 'id', limit: MOST + 1 }
  const { items } = await call('svc.workshop.repair-order.list', { query })
  const others = items.filter((order) => order.id !== id)
  if (others.length >= MOST)
    throw new Error(`${others.length} repairs are urgent already: finish one of them first`)
  log.info('urgent:', id, 'says', actor.username)
})
