import { type Action, type AppError, type Detail, errors, type FieldError } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import { type Fault, type Locale, type Localizer, messageFacts } from '../speech/speech.ts'

/** Whose request it is about, and in which languages it is answered. */
export interface Reading {
  readonly resource: Resource
  readonly acceptLanguage: string | undefined
}

/** Faults as the client is told of them, with what the answer says of the language that they are in. */
export const faultDetail = ({ resource, acceptLanguage }: Reading, faults: readonly Fault[]): Detail =>
  detailIn(resource.localizer, acceptLanguage, faults, resource)

/**
 * Says the faults that the kernel found in an input. Its messages are finished: what stands in them is no placeholder.
 */
export const inputFaults =
  (localizer: Localizer, about?: Resource): NonNullable<Action['localize']> =>
  (faults, request) =>
    detailIn(localizer, request.meta('accept-language'), faults.map(faultOf), about)

const faultOf = ({ message, params, ...fault }: FieldError): Fault => ({
  ...fault,
  message: '{message}',
  params: {
    ...Object.fromEntries(Object.entries(params ?? {}).map(([name, value]) => [name, valueOf(value)])),
    message,
  },
})

/** As much of what a schema asks for as stands in a message. */
const valueOf = (value: unknown): Value =>
  Array.isArray(value)
    ? value.map(valueOf)
    : typeof value === 'number' || typeof value === 'boolean' || value === null
      ? value
      : String(value)

/** The same for faults of no resource, or of none that `about` is. */
export function detailIn(
  localizer: Localizer,
  acceptLanguage: string | undefined,
  faults: readonly Fault[],
  about?: Resource,
): Detail {
  const locale = localizer.locale(acceptLanguage)
  return {
    errors: faults.map((fault) => say(fault, localizer, locale, about)),
    ...messageFacts(localizer, acceptLanguage),
  }
}

/** How a fault was told last, and to whom. */
interface Told {
  readonly error: FieldError
  readonly by: object
  readonly locale: Locale
  readonly about: Resource | undefined
}

const remembered = new WeakMap<Fault, Told>()

/** Tells a fault. One that never changes is told in the same words until the texts of its domain change. */
function say(fault: Fault, localizer: Localizer, locale: Locale, about: Resource | undefined): FieldError {
  const by = localizer.edition?.() ?? localizer
  const told = remembered.get(fault)
  if (told?.by === by && told.locale === locale && told.about === about) return told.error
  const error = localizer.fault(fault, locale, about)
  if (Object.isFrozen(fault)) remembered.set(fault, { error: Object.freeze(error), by, locale, about })
  return error
}

/** Refuses an input with everything that is wrong with it. */
export const invalid = (reading: Reading, faults: readonly Fault[]): AppError =>
  errors.VALIDATION_ERROR(faultDetail(reading, faults))

/** Refuses the form of a request, whose members are no fields of the resource, though they may be called as one is. */
export const malformed = ({ resource, acceptLanguage }: Reading, faults: readonly Fault[]): AppError =>
  errors.VALIDATION_ERROR(detailIn(resource.localizer, acceptLanguage, faults))
