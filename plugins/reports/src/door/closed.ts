import { type Caller, errors } from '@svc/kernel'

/** 403, and 401 for whoever has not said who it is. */
export const closed = (message: string, { kind }: Caller) =>
  kind === 'anonymous' ? errors.UNAUTHORIZED() : errors.FORBIDDEN({ message })
