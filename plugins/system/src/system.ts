import type { Context } from '@svc/kernel'

/** The part of the server that its own actions look at. */
export type System = Pick<Context, 'actions' | 'host' | 'log'>
