/** What rows tell that not everybody may read: a reader of whom nothing is known reads whatever no rule keeps. */
const ROWS = '{lastNote}|{first(notes.text)}|{sum(notes.cost)}|{count(notes)}|{#if count(notes) > 1}many{/if}'

const SOURCE = 'source: { resource: Patient, filter: stay == 31 }'

/** Every way to name what not everybody may read; nobody's name stands for a field that everybody may read. */
const TEXT = [
  '{name}|{fee}|{fee | money}|{pin}|{code}|{diary}|{born | date}|{traits}|{traits | size}|{due}|{gross}|{badge}|{mail}',
  '|{roomCode}|{doctorName}|{room.title}|{room.code}|{doctor.name}|{doctorId}',
  '|{record.fee}|{$record.born}|{fee == 5}|{coalesce(fee, 0)}',
  "|{pin | default: 'none'}|{name | truncate: fee}|{name + pin}|{pin | size}|{#if fee > 100}dear{:else if fee > 50}cheap{:else}free{/if}",
  '|{#each traits as one}<{one}>{:else}none{/each}|{#if pin == null}no pin{/if}|{user.username}',
].join('')

/**
 * Patients of whom only bosses may know everything, for every reason why somebody may not: by the field, by the row, along a
 * relationship, by what is worked out of these. What is told of them goes everywhere that rules, workflows and schedules
 * tell it.
 */
export const ward = (hook: string): string => `
domain:
  name: ward
  version: '1.0.0'
  resources:
    Room:
      object: { title: string, code: string }
      permissions: { list: ['*'], get: ['*'], create: [boss], update: [boss], fields: { code: { read: [boss] } } }
    Doctor:
      object: { name: string, wage: integer }
      permissions: { list: [boss], get: [boss], create: [boss], update: [boss] }
    Note:
      object: { text: string, shared: boolean, cost: integer }
      relationships: { patient: { type: belongsTo, target: Patient } }
      permissions: { list: 'shared or hasRole("boss")', get: 'shared or hasRole("boss")', create: [boss], update: [boss] }
    Patient:
      features: { audit: true, versioning: true }
      object:
        name: string
        stay: { type: integer, default: 1 }
        contact: string
        nothing: integer
        fee: { type: decimal, max: 99999 }
        pin: secret
        code: { type: string, hidden: true }
        lock: password
        diary: text
        born: date
        traits: { type: array, items: string }
        mail: string
        due: { type: decimal, computed: { expression: 'fee * 2', stored: true } }
        gross: { type: decimal, computed: 'coalesce(fee, 0) + stay' }
        badge: { type: string, computed: 'concat(name, coalesce(pin, ""))' }
        roomCode: { type: string, computed: room.code }
        doctorName: { type: string, computed: doctor.name }
        lastNote: { type: string, computed: last(notes.text) }
        createdById: uuid
      relationships:
        room: { type: belongsTo, target: Room }
        doctor: { type: belongsTo, target: Doctor }
        notes: { type: hasMany, target: Note, foreignKey: patientId, orderBy: { text: asc } }
      history:
        events: { made: { on: create, label: 'Made {name} {fee} {pin}', capture: [name, fee, pin] } }
      validation:
        stays: { expression: 'stay != 12', message: 'Nobody stays 12 with {fee} and {pin}', fields: [stay] }
      permissions:
        list: ['*']
        get: ['*']
        create: [boss]
        update: [authenticated]
        fields:
          fee: { read: [boss], write: [boss] }
          pin: { read: [boss], write: [boss], mask: true }
          diary: { read: [owner, boss], write: [boss] }
          born: { read: [boss], write: [boss] }
          traits: { read: [boss], write: [boss] }
          mail: { read: [boss], write: [boss] }
          doctorId: { read: [boss], write: [boss] }
  rules:
    refused:
      trigger: { resource: Patient, on: update }
      condition: stay == 13
      action: reject
      message: { en: &text "${TEXT}|${ROWS}|{previous.fee}|{previous.due}|{previous.pin}|{previous.name}", de: '{fee} {previous.fee} {a} {b}' }
      messageData: &data
        a: $record.fee
        b: [$previous.fee, '$(fee * 3)', { c: '{pin} {name}' }, $record.name]
        c: $(room.code)
        d: $(doctor.name)
        e: '{gross | money} {lastNote}'
        f: $(first(notes.text))
        g: $record.traits
        h: $(coalesce(fee, 0) > 5)
        i: $(count(notes))
        j: $user.username
        k: now()
      notification: &told
        channels: [log, email, { type: webhook, url: '${hook}' }]
        recipients: { roles: [clerk, boss], field: [contact, mail, room.title, doctor.name] }
        template: { subject: '{name}: {fee} {pin}', body: "${TEXT}" }
    rows:
      trigger: { resource: Patient, on: update }
      condition: stay == 14
      action: log
      message: '${ROWS}'
      notification:
        channels: [email]
        recipients: { roles: [clerk, boss] }
        template: { subject: of rows, body: '${ROWS}' }
    undecided: { trigger: { resource: Patient, on: update, condition: stay == 15 }, condition: nothing > 1, action: reject, message: *text, messageData: *data }
    warned: { ${ON(14)}, action: warn, message: *text, messageData: *data, history: true, notification: *told }
    written: { ${ON(14)}, action: log, message: *text, messageData: *data, history: true, notification: *told }
    born: { trigger: { resource: Patient, on: create }, condition: 'fee != null or true', action: warn, message: *text, messageData: *data }
  workflows:
    course:
      trigger: { resource: Patient, event: update, fields: [stay], condition: stay == 21 }
      steps:
        first: { action: notify, notification: *told }
        mine:
          action: notify
          notification:
            channels: [log, email]
            recipients: { roles: [clerk, boss], field: [$trigger.record.contact, $trigger.record.mail] }
            template: { subject: '{$trigger.record.fee}', body: '{$trigger.record.pin}{$trigger.record.gross}{$trigger.actor.username}{$record.fee}{$trigger.record.doctorName}' }
        eachTrait:
          forEach:
            collection: $trigger.record.traits
            as: trait
            step: { action: notify, notification: ${SAYING('{$trait}|{$item}|{#if $trait}x{/if}|{upper($item)}')} }
        eachWord:
          forEach:
            collection: split(coalesce(pin, '-'), '-')
            as: word
            step: { action: notify, notification: ${SAYING('{$word}|{$item}|{name}')} }
        eachOfBoth:
          forEach:
            collection: '[fee, stay]'
            as: one
            step: { action: notify, notification: ${SAYING('{$one}')} }
        eachNote:
          forEach:
            collection: { resource: Note, filter: patientId == $trigger.record.id and shared }
            as: note
            step: { action: notify, notification: ${SAYING('{text}|{$note.text}|{$item.text}|{$note.cost}|{patient.fee}|{patient.name}')} }
        both:
          parallel:
            steps:
              one: { action: notify, notification: ${SAYING('{fee}{$steps.eachTrait.result}{$steps.eachNote.result}')} }
              other: { action: update, input: { nothing: 5 } }
        change: { action: update, input: { stay: 22 } }
        ask:
          wait: { resource: Patient, event: update, filter: id == $trigger.record.id, timeout: { duration: 30d, then: after } }
        after:
          action: notify
          notification: ${SAYING(
            '{$event.record.fee}|{$event.previous.fee}|{$event.record.pin}|{$steps.ask.event.record.fee}|{$steps.change.result.fee}|{$steps.change.result.stay}|{$steps.both.result}|{$steps.eachWord.result}',
          )}
        choose: { decide: [{ condition: 'fee == null and false', then: end }, { default: true, then: spoil }] }
        spoil: { action: update, input: { stay: 13 } }
      onError: { action: notify, notification: ${SAYING('{$error.message}|{$error.code}|{$error.step}')} }
    invalid:
      trigger: { resource: Patient, event: update, fields: [stay], condition: stay == 23 }
      steps: { spoil: { action: update, input: { stay: 12 } } }
    tooMuch:
      trigger: { resource: Patient, event: update, fields: [stay], condition: stay == 23 }
      steps: { spoil: { action: update, input: { fee: $(fee * 1000000) } } }
    started:
      trigger: { resource: Patient }
      steps:
        say: { action: notify, notification: ${SAYING('{$trigger.input.text}|{$trigger.input}|{$trigger.record.fee}')} }
  schedules:
    told: { type: recurring, recurrence: daily at 06:00, ${SOURCE}, action: notify, tag: 'for {fee} {name}', notification: *told }
    broken: { type: recurring, recurrence: daily at 06:00, ${SOURCE}, action: update, input: { stay: 13 } }
    wrong: { type: recurring, recurrence: daily at 06:00, ${SOURCE}, action: update, input: { stay: 12 } }
    all:
      type: recurring
      recurrence: daily at 06:00
      ${SOURCE}
      batched: true
      action: notify
      notification:
        channels: [log, email, { type: webhook, url: '${hook}' }]
        recipients: { roles: [clerk, boss], field: [contact, mail] }
        template: { subject: 'of {$count}', body: '{#each $records as one}{name}{fee}{one.pin}{one.gross}{badge};{/each}{$records.fee}{sum($records.fee)}' }
    allBroken: { type: recurring, recurrence: daily at 06:00, ${SOURCE}, batched: true, action: update, input: { stay: 13 } }
    begins: { type: recurring, recurrence: daily at 06:00, ${SOURCE}, action: workflow, target: started, input: { text: 'of {name}' } }
`

function ON(stay: number): string {
  return `trigger: { resource: Patient, on: update }, condition: stay == ${stay}`
}

/** A notification of one line to everybody. */
function SAYING(body: string): string {
  return `{ channels: [log, email], recipients: { roles: [clerk, boss], field: $trigger.record.contact }, template: { subject: told, body: '${body}' } }`
}
