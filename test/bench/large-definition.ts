const MODULES = [
  'Sales',
  'Purchase',
  'Stock',
  'Project',
  'Service',
  'Fleet',
  'Finance',
  'People',
  'Support',
  'Campaign',
]
const ENTITIES = [
  'Partner',
  'Contract',
  'Order',
  'Line',
  'Invoice',
  'Payment',
  'Visit',
  'Report',
  'Task',
  'Note',
]

/** What every resource has: eight of its fields. */
const CORE = (module: string): readonly string[] => [
  'title: { type: string, required: true, maxLength: 200 }',
  "code: { type: string, unique: true, immutable: true, pattern: '^[A-Z]{2}-[0-9]+$' }",
  `status: { type: string, enum: ${module}Status, default: open }`,
  'priority: { type: string, enum: Priority, default: normal }',
  'amount: { type: money, min: 0 }',
  'dueAt: datetime',
  'createdAt: { type: datetime, autoNow: create }',
  'updatedAt: { type: datetime, autoNow: update }',
]

/** What resources have in turn, a dozen each. */
const POOL = [
  'summary: { type: string, maxLength: 500 }',
  'body: text',
  'remarks: markdown',
  'slug: { type: slug, from: title, unique: true }',
  'kind: { type: string, enum: [internal, external, mixed], default: internal }',
  'email: email',
  'phone: { type: phone, hidden: true, requestable: true }',
  'website: url',
  'quantity: { type: integer, min: 0, max: 100000, default: 0 }',
  'price: { type: decimal, min: 0, scale: 4 }',
  'currency: { type: currency, default: EUR }',
  'discount: { type: percentage, default: 0 }',
  'weight: { type: float, min: 0 }',
  'isActive: { type: boolean, default: true }',
  'startsOn: date',
  'opensAt: time',
  'country: { type: country, default: DE }',
  'language: language',
  'timezone: timezone',
  'color: color',
  'externalId: { type: uuid, unique: true }',
  'settings: json',
  'tags: { type: set, items: string, maxItems: 20 }',
  'address: { type: component, fields: { street: string, city: { type: string, required: true } } }',
]
const FROM_POOL = 12

/** A hundred resources of twenty fields in ten modules, as YAML; `added` are further fields of the last resource. */
export function makeLargeDefinition(added: readonly string[] = []): string {
  const last = MODULES.length * ENTITIES.length - 1
  const names = MODULES.flatMap((module) => ENTITIES.map((entity) => ({ module, entity })))
  const lines = [
    'domain:',
    '  name: large',
    "  version: '1.0.0'",
    '  enums:',
    '    Priority: { values: [low, normal, high, urgent] }',
    ...MODULES.flatMap(statuses),
    '  resources:',
    ...names.flatMap(({ module, entity }, at) => resource(module, entity, at, at === last ? added : [])),
  ]
  return `${lines.join('\n')}\n`
}

const statuses = (module: string): readonly string[] => [
  `    ${module}Status:`,
  '      values:',
  "        open: { label: Open, color: '#2563EB' }",
  "        active: { label: Active, color: '#16A34A' }",
  '        closed: { label: Closed, final: true }',
]

function resource(module: string, entity: string, at: number, added: readonly string[]): readonly string[] {
  const taken = Array.from({ length: FROM_POOL }, (_, step) => POOL[(at * 5 + step) % POOL.length]!)
  const indexed = taken.some((field) => field.startsWith('country')) ? 'country' : 'dueAt'
  return [
    `    ${module}${entity}:`,
    '      object:',
    ...[...CORE(module), ...taken, ...added].map((field) => `        ${field}`),
    '      relationships:',
    ...relationships(module, entity).map((relationship) => `        ${relationship}`),
    '      indexes:',
    '        - { fields: [status, createdAt] }',
    `        - { fields: [${indexed}, priority] }`,
    '      permissions:',
    '        { list: [authenticated], get: [authenticated], create: [clerk], update: [clerk, manager], delete: [manager] }',
  ]
}

/** The first entity of a module is led to by the others, and each entity by the one after it. */
function relationships(module: string, entity: string): readonly string[] {
  const at = ENTITIES.indexOf(entity)
  const [first, previous, next] = [ENTITIES[0]!, ENTITIES[at - 1], ENTITIES[at + 1]]
  return [
    'assignee: { type: belongsTo, target: User }',
    ...(at > 1
      ? [`${lower(first)}: { type: belongsTo, target: ${module}${first}, onDelete: restrict }`]
      : []),
    ...(previous
      ? [`${lower(previous)}: { type: belongsTo, target: ${module}${previous}, onDelete: cascade }`]
      : []),
    ...(next
      ? [`${lower(next)}s: { type: hasMany, target: ${module}${next}, foreignKey: ${lower(entity)}Id }`]
      : [`partners: { type: belongsToMany, target: ${module}${first} }`]),
  ]
}

const lower = (name: string): string => name.toLowerCase()
