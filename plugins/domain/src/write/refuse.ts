import { type AppError, type Detail, errors } from '@svc/kernel'
import type { Resource } from '../model/resource.ts'
import { type Fault, messageFacts } from '../speech/speech.ts'

/** Whose request it is about, and in which languages it is answered. */
export interface Reading {
  readonly resource: Resource
  readonly acceptLanguage: string | undefined
}

/** Faults as the client is told of them, with what the answer says of the language that they are in. */
export function faultDetail({ resource, acceptLanguage }: Reading, faults: readonly Fault[]): Detail {
  const { localizer } = resource
  const locale = localizer.locale(acceptLanguage)
  return {
    errors: faults.map((fault) => localizer.fault(fault, locale, resource)),
    ...messageFacts(localizer, acceptLanguage),
  }
}

/** Refuses an input with everything that is wrong with it. */
export const invalid = (reading: Reading, faults: readonly Fault[]): AppError =>
  errors.VALIDATION_ERROR(faultDetail(reading, faults))
