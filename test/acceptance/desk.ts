/** A help desk: states, formulas, secrets, owners and what else the shop has not. */
export const DESK = `
domain:
  name: desk
  version: '1.0.0'
  resources:
    Ticket:
      features: { softDelete: true, export: true, import: true }
      object:
        number: autoincrement
        title: { type: string, required: true, minLength: 3 }
        slug: { type: slug, from: title, unique: true }
        status: { type: string, enum: [open, waiting, solved, closed] }
        priority: { type: integer, default: 3, min: 1, max: 5 }
        hours: { type: decimal, default: 0 }
        rate: { type: money, default: 10 }
        kind: { type: string, immutable: true }
        note: text
        solution: text
        solvedAt: datetime
        solvedBy: string
        open: { type: boolean, default: true }
        tags: { type: set, items: string }
        phone: string
        createdById: uuid
        createdAt: datetime
        updatedAt: datetime
        deletedAt: datetime
        cost: { type: money, computed: { expression: 'hours * rate', stored: true } }
        label: { computed: 'concat(upper(status), " ", title)' }
        margin: { type: decimal }
        costCentre: { type: string, default: general }
      validation:
        solvedNeedsHours:
          { expression: 'status != "solved" or hours > 0', message: Solved tickets cost time, fields: [hours] }
      permissions:
        list: ['*']
        get: ['*']
        create: [authenticated]
        update: [owner, agent]
        delete: [agent]
        fields:
          margin: { read: [boss], write: [boss], mask: true }
          costCentre: { read: [boss, agent], write: [boss] }
        conditional:
          update: { closed: [boss] }
        transitions:
          reopen: [boss]
      stateMachine:
        field: status
        initial: open
        states:
          open:
            onExit: [leaving]
            transitions:
              wait: { to: waiting, guards: [owner, agent] }
              solve:
                to: solved
                guards: [agent]
                requiredFields: [solution]
                sets: { solvedAt: now(), solvedBy: $user.username, note: null }
              escalate: { to: waiting, guard: 'priority >= 4' }
          waiting:
            onEnter: [waitingFor]
            transitions:
              resume: { to: open }
          solved:
            transitions:
              close: { to: closed }
              reopen: { to: open, guards: [nobody] }
          closed: { final: true }
      api:
        customOperations:
          - name: assign
            permissions: [agent, owner]
            fields: { note: assigned, solvedBy: $user.username }
          - name: touch-up
            method: PUT
            path: /:id/touched
            permissions: 'hasRole("agent") and priority > 1'
            fields: { solvedAt: NOW() }
          - name: finish
            permissions: [agent]
            fields: { status: waiting }
          - name: outlook
            method: GET
            permissions: [authenticated]
          - name: digest
            path: /digest
            permissions: [agent]
        custom:
          shelve: { method: PATCH, path: '/:id/shelve', permissions: ['*'], fields: { open: false } }
    Account:
      object:
        login: { type: string, required: true, unique: true }
        secret: { type: password, required: true }
        ticket: { type: token }
        plan: { type: string, default: free }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Note:
      object:
        text: { type: string, required: true }
        level: { type: integer, default: 1 }
        public: { type: boolean, default: true }
        authorId: uuid
      permissions:
        list: [owner, agent]
        get: 'public or isOwner()'
        create: [authenticated]
        update: 'isOwner() and level < 3'
        delete: 'hasRole("agent") and level == 1'
    Setting:
      object:
        theme: { type: string, default: light }
      permissions: { get: ['*'], update: [agent] }
      api: { disable: [list, create, delete] }
`

const BASE = '/api/v1/desk'
export const TICKETS = `${BASE}/tickets`
export const ACCOUNTS = `${BASE}/accounts`
export const NOTES = `${BASE}/notes`
export const SETTINGS = `${BASE}/settings`
