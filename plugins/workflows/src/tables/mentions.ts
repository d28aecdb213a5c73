import type { Mentioning } from '@svc/domain/contract'
import { INSTANCE } from './instances.ts'
import { LINE } from './lines.ts'
import { STEP } from './steps.ts'
import type { Tables } from './tables.ts'

/** Where instances keep texts and values of whatever records they have met. */
export const mentionsIn = ({ instances, lines, steps }: Tables): readonly Mentioning[] => [
  {
    kind: 'workflowInstance',
    table: instances,
    columns: [
      INSTANCE.record,
      INSTANCE.last,
      INSTANCE.input,
      INSTANCE.inputVeil,
      INSTANCE.error,
      INSTANCE.reason,
    ],
    about: { resource: INSTANCE.resource, recordId: INSTANCE.recordId },
  },
  {
    kind: 'workflowStep',
    table: steps,
    columns: [STEP.item, STEP.result, STEP.event, STEP.error],
    about: { resource: STEP.resource, recordId: STEP.recordId },
  },
  { kind: 'workflowLine', table: lines, columns: [LINE.event, LINE.items, LINE.item, LINE.result] },
]
