const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"

/** By what the messages that come in are signed. */
export const POST = { variable: 'SVC_DOMAIN_HOUSE_POST', secret: 'a secret of the post' } as const

/** A domain in which a person's notes can be reached in every way there is; what leaves goes to `url`, and `privacy` may say more. */
export const house = (url: string, privacy = ''): string => `
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
      features: { softDelete: true, export: true, import: true, versioning: true, caching: true, audit: true, search: true }
      history: { events: { came: { on: create, condition: role == 'boarded', label: 'Came {text}', capture: [text] } } }
      object:
        text: { type: string, maxLength: 100, searchable: true }
        createdAt: { type: datetime, autoNow: create }
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
    Slip:
      features: { export: true }
      object: { title: string, said: { type: string, computed: note.text } }
      relationships: { note: { type: belongsTo, target: Note, foreignKey: noteId } }
      permissions: ${OPEN}
      privacy: { subject: [] }
    Line:
      object: { text: string, of: string }
      permissions: ${OPEN}
  views:
    notes: { source: Note, columns: [text], defaultLimit: 1000 }
    slips: { source: Slip, columns: [title, note.text], defaultLimit: 1000 }
  reports:
    notes:
      parameters: [{ name: tag, type: string }]
      sections:
        - { title: Count, metrics: [{ label: Count, value: 'count(Note, text == tag)' }] }
        - { title: Rows, table: { view: notes, filter: text == tag } }
        - { title: Groups, table: { view: notes, filter: text == tag, groupBy: text } }
    slips:
      sections: [{ title: By note, table: { view: slips, groupBy: note.text } }]
  dashboards:
    now:
      widgets:
        notes: { type: counter, query: { source: Note } }
        figure: { type: scorecard, query: count(Note) }
        texts: { type: breakdown, query: { source: Note, groupBy: text, limit: 1000 } }
        series: { type: timeSeries, query: { source: Note, interval: day, last: 1 } }
        rows: { type: table, query: { view: notes, filter: role == 'boarded', limit: 100 } }
        lately: { type: timeline, query: { source: Note, events: [came], limit: 100 } }
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
    boarding:
      trigger: { resource: Line, event: create, condition: text == 'to board' }
      steps: { write: { action: create, target: Note, input: { personId: $record.of, role: made by a workflow } } }
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
    boarded:
      recurrence: every 3650 days
      source: { resource: Line, filter: text == 'to be boarded' }
      action: create
      target: Note
      input: { personId: $record.of, role: made by a schedule }
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
  integrations:
    crm:
      type: rest
      baseUrl: '${url}'
      operations:
        told:
          method: POST
          path: /told
          resource: Note
          body: { note: $record.id }
          trigger: { resource: Note, event: update, condition: role == 'sent' }
        clocked:
          method: POST
          path: /clocked
          resource: Note
          body: { note: $record.id }
          trigger: { resource: Note, schedule: every 10 minutes, filter: role == 'clocked' }
        written:
          method: POST
          path: /written
          resource: Note
          body: { note: $record.id }
          write: { mapping: { text: $record.text } }
    changing:
      type: webhook
      signature: { secret: '\${${POST.variable}}' }
      write: { resource: Note, action: update, match: id, mapping: { id: $payload.note, role: $payload.role } }
    making:
      type: webhook
      signature: { secret: '\${${POST.variable}}' }
      write: { resource: Note, action: create, mapping: { personId: $payload.person, role: $payload.role } }
    linking:
      type: webhook
      signature: { secret: '\${${POST.variable}}' }
      write: { resource: Note, action: update, match: id, mapping: { id: $payload.note, personId: $payload.person } }
    moving:
      type: webhook
      signature: { secret: '\${${POST.variable}}' }
      write: { resource: Note, action: transition, transition: close, match: id, mapping: { id: $payload.note } }
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email }
    ${privacy}
`
