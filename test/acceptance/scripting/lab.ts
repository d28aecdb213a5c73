/** A laboratory: samples with hooks and operations that scripts handle, and a book in which scripts write. */
export const LAB = `
domain:
  name: lab
  version: '1.0.0'
  resources:
    Sample:
      features: { export: true }
      object:
        title: { type: string, required: true }
        status: { type: string, enum: [fresh, tested, kept] }
        grade: { type: integer, default: 0 }
        note: text
        owner: uuid
        secret: { type: password }
        createdById: uuid
        updatedById: uuid
      permissions:
        list: [authenticated]
        get: [authenticated]
        create: [authenticated]
        update: [authenticated]
        delete: [keeper]
        fields:
          grade: { write: [keeper] }
      stateMachine:
        field: status
        initial: fresh
        states:
          fresh:
            onExit: [judge, second]
            transitions: { test: { to: tested, sets: { note: 'under test' } } }
          tested:
            onExit: [release]
            onEnter: [arrived]
            transitions: { keep: { to: kept }, again: { to: fresh } }
          kept: { final: true }
      api:
        customOperations:
          - { name: stamp, permissions: [authenticated], fields: { note: stamped } }
          - { name: silent, permissions: [authenticated], fields: { note: silent } }
          - { name: probe, path: /probe, permissions: [authenticated] }
          - { name: attack, path: /attack, permissions: [authenticated] }
          - { name: steady, path: /steady, permissions: [authenticated] }
          - { name: loop, permissions: [authenticated], fields: { note: looped } }
          - { name: peek, method: GET, permissions: [authenticated] }
    Entry:
      object:
        name: { type: string, required: true }
        about: string
        detail: json
        createdById: uuid
      permissions: { list: [authenticated], get: [authenticated], create: [authenticated], update: [keeper], delete: [keeper] }
`

export const SAMPLES = '/api/v1/lab/samples'
export const ENTRIES = '/api/v1/lab/entries'
