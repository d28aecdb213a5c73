const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"

/** A domain in which a person's notes can be reached in every way there is. */
export const HOUSE = `
domain:
  name: house
  version: '1'
  resources:
    Person:
      object: { email: { type: email, unique: true, privacy: { subjectIdentifier: true } } }
      permissions: ${OPEN}
    Folder:
      object: { title: string }
      relationships:
        notes: { type: hasMany, target: Note, foreignKey: folderId }
        pinned: { type: belongsToMany, target: Note }
      permissions: ${OPEN}
    Note:
      features: { softDelete: true, export: true, import: true, versioning: true, caching: true, audit: true }
      object:
        text: { type: string, maxLength: 100 }
        role: string
        folderId: uuid
        status: { type: string, default: open }
        deletedAt: datetime
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { close: { to: closed } } }, closed: {} }
      api:
        custom: { stamp: { method: POST, path: '/:id/stamp', fields: { text: stamped }, permissions: ['*'] } }
      relationships:
        person: { type: belongsTo, target: Person, foreignKey: personId }
        folder: { type: belongsTo, target: Folder, foreignKey: folderId }
      permissions: ${OPEN}
      privacy: { subject: [person] }
    Line:
      object: { text: string, of: string }
      permissions: ${OPEN}
  views:
    notes: { source: Note, columns: [text], defaultLimit: 1000 }
  reports:
    notes:
      parameters: [{ name: tag, type: string }]
      sections:
        - { title: Count, metrics: [{ label: Count, value: 'count(Note, text == tag)' }] }
        - { title: Rows, table: { view: notes, filter: text == tag } }
  dashboards:
    now: { widgets: { notes: { type: counter, query: { source: Note } } } }
    kept: { refresh: 1h, widgets: { notes: { type: counter, query: { source: Note } } } }
  rules:
    told:
      trigger: { resource: Note, on: update, condition: role == 'told' }
      condition: text != null
      action: log
      message: 'Told of {text}'
      notification: { channels: [log], template: { subject: Told, body: '{text}' } }
  workflows:
    heard:
      trigger: { resource: Note, event: update, condition: role == 'heard' }
      steps: { write: { action: create, target: Line, input: { text: heard, of: $record.id } } }
    begun:
      trigger: { resource: Note }
      steps: { write: { action: create, target: Line, input: { text: begun, of: $record.id } } }
    each:
      steps:
        all:
          forEach:
            collection: { resource: Note, filter: role == 'each' }
            step: { action: create, target: Line, input: { text: each, of: $item.id } }
  schedules:
    timed:
      recurrence: every 3650 days
      source: { resource: Note, filter: role == 'timed' }
      action: create
      target: Line
      input: { text: timed, of: $record.id }
    batch:
      recurrence: every 3650 days
      source: { resource: Note, filter: role == 'batched' }
      batched: true
      action: create
      target: Line
      input: { text: '$(concat("batch ", $count))', of: '$records[0].id' }
  templates:
    card: { format: markdown, data: { note: { record: Note } }, body: '{text}' }
    made:
      format: markdown
      trigger: { resource: Note, event: transition }
      data: { note: { record: Note } }
      body: '{text}'
    all:
      format: markdown
      parameters: [{ name: tag, type: string }]
      data: { notes: { source: Note, filter: text == $params.tag } }
      body: '{#each notes}{text} {/each}'
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email }
`
