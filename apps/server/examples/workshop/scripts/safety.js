// A bike leaves the test ride for its owner only when the safety list is complete; which points
// that takes depends on the bike. Going back to the stand needs no list.

const POINTS = ['brakes', 'bolts']

on('svc.workshop.repair-order.checkSafetyList', async ({ transition, record }, { call }) => {
  if (transition !== 'pass') return
  const bike = await call('svc.workshop.bike.get', { id: record.bikeId })
  const points = bike.kind === 'ebike' ? [...POINTS, 'motor'] : POINTS
  const missing = points.filter((point) => !(record.checklist ?? []).includes(point))
  if (missing.length > 0) throw new Error(`The safety list lacks: ${missing.join(', ')}`)
})
