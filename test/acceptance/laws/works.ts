/** Something of everything that a definition can say, for laws that hold whatever is asked. */
export const WORKS = `
domain:
  name: works
  version: '1.0.0'
  enums:
    Size: { values: { small: { label: Small }, large: { label: { en: Large, de: Groß } }, Ünique: {} } }
  blocks:
    heading: { fields: { text: { type: string, required: true, maxLength: 40 }, level: { type: integer, min: 1, max: 3 } } }
    columns: { fields: { left: blocks, right: blocks } }
  resources:
    Sample:
      features: { search: true, export: true, import: true, versioning: true, audit: true }
      object:
        aString: { type: string, maxLength: 200 }
        aText: text
        aMarkdown: markdown
        aSlug: { type: slug, from: aString, unique: true }
        anEmail: { type: email, unique: true }
        aUrl: url
        aPhone: phone
        aCountry: country
        aLanguage: language
        aTimezone: timezone
        aColor: color
        aCurrency: currency
        anInteger: { type: integer, min: -9007199254740991 }
        someBytes: bytes
        aNumber: autoincrement
        aDecimal: decimal
        aScaled: { type: decimal, scale: 4 }
        aFloat: float
        aMoney: money
        aPercentage: percentage
        aBoolean: { type: boolean, default: false }
        aDate: date
        aTime: time
        aDatetime: datetime
        aTimestamp: timestamp
        aUuid: uuid
        aJson: json
        anArray: { type: array, items: integer, maxItems: 5 }
        aSet: { type: set, items: string }
        someBlocks: { type: blocks, maxItems: 4 }
        aComponent: { type: component, fields: { street: string, city: { type: string, required: true } } }
        aRepeater: { type: repeater, fields: { name: { type: string, required: true }, count: integer } }
        aPassword: password
        aToken: token
        aSize: { type: string, enum: Size }
        aPattern: { type: string, pattern: '^[a-z]{2,4}$' }
        aSecret: { type: string, hidden: true }
        onRequest: { type: string, hidden: true, requestable: true }
        createdAt: datetime
        updatedAt: datetime
      computed:
        shout: upper(aString)
        sum: { type: decimal, expression: 'round(anInteger + aDecimal * 2, 2)', stored: true }
        later: addDays(aDate, 3)
        sized: 'aSize == "small" ? "s" : coalesce(aText, "none")'
        span: hoursBetween(aDatetime, aTimestamp)
        half: { type: float, expression: aFloat / 2, stored: true }
      scopes:
        likes: { filter: "aString LIKE '%LATE%' OR aText LIKE '_' OR aMarkdown LIKE 'é%'" }
        sums: { filter: 'anInteger / 2 = 1 OR anInteger % 3 = 1 OR aDecimal * 2 > aFloat' }
        zero: { filter: 'anInteger / (aDecimal - aDecimal) IS NULL AND anInteger IS NOT NULL' }
        dated: { filter: "aDate <= date('now') OR aDatetime > current_timestamp" }
        named: { filter: "aString || aText = 'ab' OR length(aString) BETWEEN 3 AND 4 OR upper(aString) = 'ÉLAN'" }
        flagged: { filter: 'aBoolean OR NOT aBoolean AND aFloat IS NULL' }
        absent: { filter: "coalesce(aText, aString, 'x') = 'x' AND abs(aMoney) >= 5.5" }
        others: { filter: 'anInteger NOT IN (1, 2, 3)' }
        timed: { filter: "aTime > '12:00' AND aUuid IS NOT NULL" }
      permissions:
        { list: ['*'], get: ['*'], create: [authenticated], update: [authenticated], delete: [agent] }
    Entry:
      features: { export: true }
      object:
        name: { type: string, maxLength: 40 }
        size: decimal
        day: date
        at: datetime
        on: boolean
        userId: uuid
      computed:
        days: daysBetween(day, at)
        short: substring(trim(name), 1, 2)
      permissions:
        list: >-
          isOwner() or (length(trim(name)) > 2 and (upper(name) startsWith 'L' or lower(name) contains 'é')) or
          year(day) >= 2026 or round(size / 3, 1) in [0.3, 0.8] or addDays(day, 2) < at or
          (on ? size > 1 : size < 0) or coalesce(name, 'none') > 'b' and not (length(name) % 2 == 1)
        get: ['*']
        create: [authenticated]
        update: isOwner() or size < 3
        delete: [authenticated]
    Project:
      features: { caching: true, export: true, import: true, search: true }
      object:
        name: { type: string, required: true, minLength: 2, maxLength: 60, unique: true, label: { en: Name, de: Bezeichnung } }
        budget: { type: money, min: 0 }
        kind: { type: string, enum: [inner, outer], default: inner }
        rank: { type: integer, default: 1 }
        createdAt: datetime
        createdById: uuid
      relationships:
        tasks: { type: hasMany, target: Task, foreignKey: projectId, orderBy: { title: desc } }
        urgent: { type: hasMany, target: Task, foreignKey: projectId, where: { priority: 5 } }
      indexes:
        - { fields: [kind, rank], unique: true }
      permissions:
        list: ['*']
        get: ['*']
        create: [authenticated]
        update: isOwner() or hasRole('agent')
        delete: [agent, admin]
        fields:
          budget: { read: [boss, agent], write: [boss], mask: true }
    Task:
      features: { softDelete: true, audit: true, versioning: true, search: true, export: true, import: true }
      object:
        number: autoincrement
        title: { type: string, required: true, minLength: 3, maxLength: 80 }
        slug: { type: slug, from: title, unique: true }
        code: { type: string, unique: true, immutable: true }
        status: { type: string, enum: [open, waiting, solved, closed] }
        priority: { type: integer, default: 3, min: 1, max: 5 }
        hours: { type: decimal, default: 0, min: 0 }
        rate: { type: money, default: 10 }
        note: text
        solution: markdown
        dueOn: date
        solvedAt: datetime
        solvedBy: string
        tagged: { type: set, items: string }
        margin: decimal
        centre: { type: string, required: true, default: general }
        hint: { type: string, hidden: true, requestable: true }
        createdAt: datetime
        updatedAt: datetime
        createdById: uuid
        updatedById: uuid
        deletedAt: datetime
        cost: { type: money, computed: { expression: hours * rate, stored: true } }
      computed:
        label: concat(upper(status), ' ', title)
        isDear: cost > 100
        profit: margin - cost
      audit: { exclude: [note] }
      validation:
        solvedNeedsHours:
          { expression: 'status != "solved" or hours > 0', message: { en: Solved tasks cost time, de: Das kostet Zeit }, fields: [hours] }
        calm: { expression: 'previous == null or priority <= previous.priority + 2', fields: [priority], on: [update] }
      relationships:
        project: { type: belongsTo, target: Project, onDelete: restrict }
        parent: { type: belongsTo, target: Task, onDelete: nullify }
        children: { type: hasMany, target: Task, foreignKey: parentId }
        helper: { type: belongsTo, target: User }
        tags: { type: belongsToMany, target: Tag, timestamps: true }
        notes: { type: hasMany, target: Note, foreignKey: taskId }
      scopes:
        urgent: { filter: 'priority >= 4 AND deletedAt IS NULL' }
        mine: { filter: 'createdById = :currentUserId' }
        late: { filter: "dueOn < '2026-03-01' OR lower(title) LIKE '%late%'" }
        odd: { filter: 'priority % 2 = 1 AND NOT (hours BETWEEN 1 AND 3)' }
        dear: { filter: "coalesce(cost, 0) + 1 > 50 AND status IN ('open', 'solved')" }
      history:
        events:
          made: { on: create, label: 'Made {title} by {user.name}', capture: [title, margin] }
          changed: { on: update, fields: [priority, hours], label: 'Now {priority}', capture: [priority], snapshot: true }
          moved: { on: transition, transition: solve, label: 'From {from} to {to}', severity: success, roles: [agent] }
          noted: { on: fieldChange, field: note, label: 'Note {previousValue} is {newValue}', condition: priority > 2 }
          gone: { on: delete, label: Gone }
          back: { on: restore, label: { en: Back, de: Wieder da } }
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
          waiting: { onEnter: [waitingFor], transitions: { resume: { to: open }, solve: { to: solved, requiredFields: [solution, dueOn] } } }
          solved: { transitions: { close: { to: closed }, reopen: { to: open } } }
          closed: { final: true }
      permissions:
        list: [authenticated]
        get: ['*']
        create: [authenticated]
        update: [owner, agent]
        delete: [owner, boss]
        fields:
          margin: { read: [boss], write: [boss], mask: true }
          centre: { read: [boss, agent], write: [boss, agent] }
          hours: { write: [agent, owner] }
        conditional:
          update: { closed: [boss] }
        transitions:
          reopen: [boss]
      api:
        customOperations:
          - { name: assign, permissions: [agent, owner], fields: { note: assigned, solvedBy: $user.username } }
          - { name: touch, method: PUT, path: /:id/touched, permissions: 'hasRole("agent") and priority > 1', fields: { solvedAt: NOW() } }
          - { name: outlook, method: GET, permissions: [authenticated] }
          - { name: digest, path: /digest, permissions: [agent] }
    Tag:
      features: { softDelete: true, search: true, validationMode: loose }
      object:
        name: { type: string, required: true, unique: true }
        weight: float
        deletedAt: datetime
      relationships:
        tasks: { type: belongsToMany, target: Task, timestamps: true }
      permissions: { list: ['*'], get: ['*'], create: [authenticated], update: [authenticated], delete: [authenticated] }
    Note:
      features: { audit: true, versioning: true, export: true }
      object:
        text: { type: string, required: true }
        level: { type: integer, default: 1 }
        public: { type: boolean, default: true }
        authorId: uuid
        createdAt: datetime
      relationships:
        task: { type: belongsTo, target: Task, onDelete: cascade, required: true }
      history: { events: { written: { on: create, label: 'Wrote {text}', capture: [text], roles: [owner, agent] } } }
      permissions:
        list: [owner, agent]
        get: public or isOwner()
        create: [authenticated]
        update: isOwner() and level < 3
        delete: hasRole('agent') and level == 1
      api: { under: Task, directAccess: [list, get, update] }
    Stock:
      features: { export: true, import: true, audit: true }
      object:
        sku: { type: string, primaryKey: true, maxLength: 20 }
        amount: { type: integer, required: true, min: 0 }
        place: { type: string, default: shelf }
      relationships:
        moves: { type: hasMany, target: Move, foreignKey: stockId }
      permissions:
        list: amount < 50 or hasAnyRole('agent', 'boss')
        get: ['*']
        create: [authenticated]
        update: [agent]
        delete: [agent]
    Move:
      object:
        id: { type: integer, primaryKey: true }
        delta: { type: integer, required: true }
        at: { type: datetime, autoNow: update }
        stockId: string
        userId: uuid
      relationships:
        stock: { type: belongsTo, target: Stock, onDelete: cascade }
      permissions:
        { list: [owner, agent], get: [owner, agent], create: [authenticated], update: [owner], delete: [owner] }
    Setting:
      object:
        theme: { type: string, default: light }
      permissions: { get: ['*'], update: [agent] }
      api: { disable: [list, create, delete] }
    Vault:
      object: { text: { type: string, required: true } }
      permissions: { list: [], get: [], create: [], update: [], delete: [] }
    Memo:
      object: { text: { type: string, required: true } }
`
