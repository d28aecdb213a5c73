import type { Model } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Said } from '../texts/words.ts'
import { sealingOf } from './sealing.ts'

/** The words of an entry as they were sent. */
export function saidIn(row: Row, model: Model): Said {
  const { open } = sealingOf(model)
  const [subject, body] = [open(row['subject']), open(row['body'])]
  return { subject: subject === null ? null : String(subject), body: String(body ?? '') }
}

/** An entry as it is shown, with these words. */
export function presentEntry(row: Row, said: Said, model: Model): Row {
  return {
    id: get(row, 'id'),
    name: get(row, 'name'),
    channel: get(row, 'channel'),
    status: get(row, 'status'),
    recipient: get(row, 'recipient'),
    subject: said.subject,
    body: said.body,
    source: sourceOf(row),
    resource: get(row, 'resource'),
    recordId: recordIdOf(row, model),
    attempts: get(row, 'attempts'),
    nextAttemptAt: get(row, 'nextAttemptAt'),
    createdAt: get(row, 'createdAt'),
    sentAt: get(row, 'sentAt'),
    responseStatus: get(row, 'responseStatus'),
    error:
      get(row, 'errorCode') === null
        ? null
        : { code: get(row, 'errorCode'), message: get(row, 'errorMessage') },
    resendOf: get(row, 'resendOf'),
  }
}

const get = (row: Row, name: string): Value => row[name] ?? null

/** What brought an entry about. */
export const sourceOf = (row: Row) => ({
  kind: String(row['sourceKind']),
  name: String(row['source']),
  step: textIn(row, 'sourceStep'),
  id: textIn(row, 'sourceId'),
})

export const textIn = (row: Row, name: string): string | null => {
  const value = row[name]
  return value === null || value === undefined ? null : String(value)
}

/** The key of the record that an entry is about, in the form that its resource has. */
export function recordIdOf(row: Row, { resources }: Model): string | number | null {
  const text = textIn(row, 'recordId')
  const resource = textIn(row, 'resource')
  if (text === null || resource === null) return text
  return resources.get(resource)?.key.column?.kind === 'integer' ? Number(text) : text
}
