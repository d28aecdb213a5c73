import type { TestKernel } from '../../kit/test-kernel.ts'

/** Customers and their invoices, in an office where not everybody sees everything. */
export const RESOURCES = `
  config: { timezone: Europe/London, currency: GBP }
  enums:
    Status: { values: { open: { label: { en: Still open, de: Noch offen }, color: '#AA0000' }, paid: { label: Paid }, lost: {} } }
  resources:
    Ledger: { object: { text: string, amount: decimal, pin: password }, permissions: { list: [admin] } }
    Customer:
      object:
        name: { type: string, required: true, label: { en: Customer, de: Kunde } }
        rating: integer
        phone: string
      permissions:
        list: ['*']
        get: ['*']
        create: [clerk, admin]
        update: [clerk, admin]
        fields: { phone: { read: [admin] }, rating: { read: [clerk, admin] } }
    Invoice:
      object:
        number: { type: string, required: true, label: { en: Invoice, de: Rechnung } }
        gross: { type: money, label: Amount }
        status: { type: string, enum: Status, default: open }
        dueOn: date
        sentAt: datetime
        note: string
        secret: { type: string, hidden: true }
        customerId: uuid
        userId: uuid
      computed:
        net: { type: decimal, expression: gross / 1.25 }
        label: { type: string, expression: "concat(number, ' ', status)", stored: true }
      relationships:
        customer: { type: belongsTo, target: Customer, foreignKey: customerId }
        user: { type: belongsTo, target: User, foreignKey: userId }
      scopes:
        large: { filter: gross >= 100 }
      owner: userId
      permissions:
        list: "hasAnyRole('clerk', 'admin') or isOwner()"
        get: [authenticated]
        create: [clerk, admin]
        update: [clerk, admin]
        fields: { note: { read: [admin] }, dueOn: { read: [clerk, admin], mask: true } }`

export const office = (views: string, more = ''): string => `
domain:
  name: office
  version: '1'${RESOURCES}
  views:
${views}
${more}`

/** What was created, by its name or number. */
export type Ids = Readonly<Record<string, string>>

/** Three customers and five invoices. */
export async function fill({ request, admin: token }: TestKernel, owner?: string): Promise<Ids> {
  const ids: Record<string, string> = {}
  const create = async (path: string, body: object, name: string) => {
    const answer = await request('POST', `/api/v1/office/${path}`, { token, body })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    ids[name] = answer.body.data.id
    if (owner !== undefined && path === 'invoices')
      await request('PATCH', `/api/v1/office/invoices/${ids[name]}`, { token, body: { userId: owner } })
  }
  await create('customers', { name: 'Ada', rating: 5, phone: '+44 20 7946 0000' }, 'Ada')
  await create('customers', { name: '=Bob, Ltd', rating: 1 }, 'Bob')
  const invoice = (number: string, body: object) => create('invoices', { number, ...body }, number)
  await invoice('I1', {
    gross: 1234.5,
    customerId: ids['Ada'],
    dueOn: '2026-11-21',
    sentAt: '2026-07-01T12:30:00Z',
    note: 'n1',
  })
  await invoice('I2', { gross: 80, customerId: ids['Bob'], dueOn: '2026-01-02', status: 'paid' })
  await invoice('I3', { gross: -5, customerId: ids['Ada'], status: 'lost' })
  await invoice('I4', { gross: null, customerId: null, note: 'n4' })
  await invoice('I5', { gross: 100.25, customerId: ids['Bob'], dueOn: '2027-01-02' })
  return ids
}
