/** Records that are judged and worked out together with their neighbours. */
export const CLINIC = `
domain:
  name: clinic
  version: '1.0.0'
  resources:
    Household:
      features: { softDelete: true }
      object: { name: string, city: string, userId: uuid, deletedAt: datetime }
      relationships:
        animals: { type: hasMany, target: Animal, foreignKey: householdId }
      permissions: { list: ['vet', 'owner'], get: ['vet', 'owner'], create: [vet], update: [vet], delete: [vet] }
    Animal:
      features: { softDelete: true }
      object: { name: string, weight: decimal, chip: string, alive: { type: boolean, default: true }, deletedAt: datetime }
      relationships:
        household: { type: belongsTo, target: Household }
        visits: { type: hasMany, target: Visit, foreignKey: animalId }
      computed:
        city: household.city
        heavy: weight > 30
        visitCount: count(visits)
      permissions:
        list: "hasRole('vet') or household.userId == user.id"
        get: "hasRole('vet') or household.userId == user.id"
        create: [vet]
        update: "hasRole('vet') and household != null"
        delete: [vet]
        fields: { chip: { read: [vet] } }
    Visit:
      features: { export: true, caching: true, softDelete: true }
      object:
        title: string
        note: string
        status: string
        deletedAt: datetime
      relationships:
        animal: { type: belongsTo, target: Animal }
        vet: { type: belongsTo, target: User }
        lines: { type: hasMany, target: Line, foreignKey: visitId, orderBy: { rank: asc } }
        labels: { type: belongsToMany, target: Label }
      stateMachine:
        field: status
        initial: planned
        states:
          planned:
            transitions:
              bill: { to: billed, guard: 'count(lines) > 0 and animal.household.name != null' }
              skip: { to: skipped }
          billed: { transitions: { reopen: { to: planned } } }
          skipped: { final: true }
      computed:
        total: { type: money, expression: 'sum(lines, qty * price)' }
        gross: { type: money, expression: 'round(total * 1.2, 2)' }
        animalName: animal.name
        chip: animal.chip
        heavy: animal.heavy
        city: animal.household.city
        firstSku: first(lines.sku)
        labelled: "any(labels, text == 'urgent')"
        by: vet.username
        mail: vet.email
      validation:
        living: { expression: 'animal == null or animal.alive', message: The animal is gone, fields: [animalId] }
        settled: { expression: 'previous == null or previous.animal.name != "fixed" or animal.name == "fixed"', on: [update], message: Fixed }
      permissions:
        list: "hasRole('vet') or animal.household.userId == user.id"
        get: "hasRole('vet') or animal.household.userId == user.id"
        create: "hasRole('vet') or animal.household.userId == user.id"
        update: "hasRole('vet') or animal.household.userId == user.id"
        delete: "hasRole('vet') and not any(lines, qty > 10)"
        conditional: { update: { billed: "count(lines, qty > 3) == 0 and hasRole('vet')" } }
        transitions: { skip: "animal.household.userId == user.id" }
    Line:
      object: { sku: string, qty: integer, price: money, rank: integer, cost: money }
      relationships:
        visit: { type: belongsTo, target: Visit }
      permissions:
        list: [authenticated]
        get: [authenticated]
        create: [vet]
        update: [vet]
        delete: [vet]
        fields: { cost: { read: [vet] } }
    Label:
      object: { text: string }
      permissions: { list: [vet], get: [vet], create: [vet] }
`
export const at = (plural: string): string => `/api/v1/clinic/${plural}`
