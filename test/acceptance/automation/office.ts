/** A domain with states, rights and computed fields, and `chores` that are given. */
export const office = (chores: object, version = '1.0.0'): string =>
  JSON.stringify({ domain: { name: 'office', version, resources: RESOURCES, chores } })

const ALL = ['*']

const RESOURCES = {
  Order: {
    object: {
      title: { type: 'string', required: true, maxLength: 20 },
      total: { type: 'money', default: 0 },
      margin: 'money',
      status: { type: 'string', enum: ['open', 'closed', 'filed'] },
      note: 'string',
      dueOn: 'date',
      dueAt: 'time',
      closedAt: 'datetime',
      deletedAt: 'datetime',
    },
    computed: { doubled: { type: 'money', expression: 'total * 2' } },
    stateMachine: {
      field: 'status',
      initial: 'open',
      states: {
        open: { transitions: { close: { to: 'closed', guards: ['boss'] } } },
        closed: { transitions: { file: { to: 'filed' }, reopen: { to: 'open' } } },
        filed: { final: true },
      },
    },
    validation: [{ expression: 'total >= 0', message: 'The total is below zero', name: 'positive' }],
    permissions: {
      list: ALL,
      get: ALL,
      create: ALL,
      update: ALL,
      delete: ALL,
      fields: { margin: { read: ['boss'] } },
    },
    features: { softDelete: true },
  },
  Letter: {
    object: { text: { type: 'string', required: true }, orderId: 'uuid' },
    permissions: { list: ALL, get: ALL, create: [], update: [], delete: [] },
  },
}
